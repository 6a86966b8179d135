// One bound: a number, a choice, or faults to be picked, with what it means.
import type { PropertyChoice } from '../engine/types';
import { useSay, useTranslate, type TextName } from '../state/texts';
import type { BoundName } from './bounds';

interface FieldProps {
  name: BoundName;
  value: string;
  fixed?: boolean;
  placeholder?: string | undefined;
  onChange(value: string): void;
}

export function BoundField({ name, value, fixed = false, placeholder, onChange }: FieldProps) {
  const say = useSay();
  return (
    <label class={`field field-${name}`}>
      <span>{say(`bounds.${name}`)}</span>
      <input
        name={name}
        value={value}
        disabled={fixed}
        placeholder={fixed ? say('bounds.fixed') : placeholder}
        inputMode={name === 'clients' || name === 'attempts' ? 'numeric' : 'text'}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        aria-describedby={`bounds-${name}-help`}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    </label>
  );
}

// Each kind once, with the names of its properties.
function byWord(properties: PropertyChoice[]): [string, string[]][] {
  const kinds = new Map<string, string[]>();
  for (const { word, name } of properties) kinds.set(word, [...new Set([...(kinds.get(word) ?? []), name])]);
  return [...kinds];
}

const mostNames = 2;
const shortList = (names: string[], comma: string) =>
  [...names.slice(0, mostNames), ...(names.length > mostNames ? ['…'] : [])].join(comma);

interface PropertyProps {
  properties: PropertyChoice[];
  value: string;
  onChange(value: string): void;
}

export function PropertyField({ properties, value, onChange }: PropertyProps) {
  const say = useSay();
  const translate = useTranslate();
  const kinds = byWord(properties);
  // An address may ask for several.
  const own = value !== '' && !kinds.some(([word]) => word === value);
  return (
    <label class="field field-property">
      <span>{say('bounds.property')}</span>
      <select
        name="property"
        value={value}
        aria-describedby="bounds-property-help"
        onChange={(event) => onChange(event.currentTarget.value)}
      >
        <option value="">{say('bounds.property.own')}</option>
        {own && <option value={value}>{value}</option>}
        {kinds.map(([word, names]) => (
          <option key={word} value={word}>
            {say('bounds.property.choice', { word, names: shortList(names.map(translate), say('list.comma')) })}
          </option>
        ))}
      </select>
    </label>
  );
}

const faults = [
  'crash',
  'pause',
  'unreachable',
  'lost-request',
  'lost-reply',
  'late-execution',
  'duplicate',
  'rejected',
  'lost-message',
  'restart',
  'restart-empty',
  'failover',
  'eviction',
  'clock-jump',
  'clock-back',
  'drift',
  'client-restart',
  'lost-write',
  'late-write',
  'duplicate-write',
] as const;

// `2/crash,restart`: how many of all may happen stands in front.
function partsOf(text: string): { most: string; words: string[] } {
  const [, most = '', rest = ''] = /^\s*(?:(\d+)\s*(?:\/|$))?(.*)$/s.exec(text) ?? [];
  return { most, words: rest.split(/[,+\s]+/).filter(Boolean) };
}
const isOf = (fault: string) => (word: string) => word === fault || word.startsWith(`${fault}:`);

export function FaultChoice({ value, onChange }: { value: string; onChange(value: string): void }) {
  const say = useSay();
  const { most, words } = partsOf(value);
  const toggle = (fault: string, on: boolean) => {
    const others = words.filter((word) => !isOf(fault)(word) && word !== 'none');
    const chosen = (on ? [...others, fault] : others).join(',');
    onChange([most, chosen].filter(Boolean).join('/'));
  };
  return (
    <details class="fault-choice">
      <summary>{say('bounds.faults.choose')}</summary>
      <ul>
        {faults.map((fault) => (
          <li key={fault}>
            <label>
              <input
                type="checkbox"
                checked={words.some(isOf(fault))}
                onChange={(event) => toggle(fault, event.currentTarget.checked)}
              />
              <span>
                <code>{fault}</code> {say(`fault.${fault}`)}
              </span>
            </label>
          </li>
        ))}
      </ul>
    </details>
  );
}

const helped = ['clients', 'attempts', 'instants', 'faults', 'property'] as const;

export function BoundsHelp({ fixed }: { fixed: Partial<Record<BoundName, boolean>> }) {
  const say = useSay();
  const help = (name: (typeof helped)[number]): TextName =>
    fixed[name] && (name === 'clients' || name === 'attempts') ? `bounds.${name}.fixed` : `bounds.${name}.help`;
  return (
    <dl class="bounds-help small">
      {helped.map((name) => (
        <div key={name} id={`bounds-${name}-help`}>
          <dt>{say(`bounds.${name}`)}</dt>
          <dd>{say(help(name))}</dd>
        </div>
      ))}
    </dl>
  );
}
