// The bounds as fields, and a search of all runs within them.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Searcher } from '../engine/searcher';
import type { Found, GameState, Scenario } from '../engine/types';
import { useSay, useTranslate } from '../state/texts';
import type { Lab } from '../state/use-lab';
import { CommandLine } from './command-line';
import { LateVerdict } from './late-verdict';
import { BoundField, BoundsHelp, FaultChoice, PropertyField } from './bound-field';
import { beginning, boundNames, type BoundName, type Bounds } from './bounds';
import { SearchStatus } from './search-status';
import { useSearch } from './use-search';
import { VerdictCard } from './verdict-card';

interface Props {
  game: GameState;
  scenario: Scenario | undefined;
  lab: Lab;
  searcher: Searcher;
  onVerdict(found: Found): void;
}

export function BoundsPanel({ game, scenario, lab, searcher, onVerdict }: Props) {
  const say = useSay();
  const translate = useTranslate();
  const { phase, search, reset, cancel } = useSearch(searcher);
  const [refused, setRefused] = useState('');
  // The fields are those of the address, until the player changes them. A move changes no bounds.
  const own: Bounds = Object.fromEntries(game.options);
  const within = beginning(game.name, own);
  const [edited, setEdited] = useState({ within, bounds: own });
  // Back to a run that had been left is back to its bounds.
  useEffect(() => setEdited({ within: '', bounds: {} }), [within]);
  const bounds = edited.within === within ? edited.bounds : own;
  const set = (to: Bounds) => setEdited({ within, bounds: to });
  const about = beginning(game.name, bounds);
  const command = lab.exploreCommand(phase.is === 'running' ? phase.of : about);
  const latest = useRef(about);
  latest.current = about;
  const fixed: Partial<Record<BoundName, boolean>> = {
    clients: scenario?.has_clients === false,
    attempts: scenario?.has_attempts === false,
  };
  const examples: Partial<Record<BoundName, string>> = {
    instants: say('bounds.instants.example'),
    faults: say('bounds.faults.example'),
  };

  const open = () => {
    reset();
    setRefused(lab.open(about) ? '' : about);
  };
  const explore = async (event: Event) => {
    event.preventDefault();
    setRefused('');
    lab.forgetProblem();
    const ended = await search(about);
    if (ended) onVerdict(ended.found);
    const stayed = ended?.stayed && latest.current === about;
    if (stayed && ended.found.verdict.verdict === 'violated') lab.open(ended.found.short);
  };
  // Whatever the search has found, in its bounds: the run, or the beginning.
  const show = ({ found, of }: { found: Found; of: string }) =>
    lab.open(found.verdict.verdict === 'violated' ? found.short : of);

  return (
    <section class="panel bounds">
      <h2>{say('bounds')}</h2>
      <p class="small">{say('bounds.intro')}</p>
      <form onSubmit={explore}>
        <div class="fields">
          {boundNames.map((name) => {
            const value = bounds[name] ?? '';
            const change = (to: string) => set({ ...bounds, [name]: to });
            if (name === 'property') {
              return <PropertyField key={name} properties={game.properties} value={value} onChange={change} />;
            }
            return (
              <BoundField
                key={name}
                name={name}
                value={value}
                fixed={fixed[name] ?? false}
                placeholder={examples[name]}
                onChange={change}
              />
            );
          })}
        </div>
        <FaultChoice value={bounds.faults ?? ''} onChange={(faults) => set({ ...bounds, faults })} />
        <BoundsHelp fixed={fixed} />
        <div class="form-buttons">
          <button type="submit" class="primary" disabled={phase.is === 'running'}>
            {say('bounds.search')}
          </button>
          <button type="button" onClick={open}>
            {say('bounds.open')}
          </button>
        </div>
      </form>
      <SearchStatus phase={phase} about={about} onCancel={cancel} />
      {refused === about && (
        <p class="notice notice-error" role="alert">
          {translate(lab.refusal(about))}
        </p>
      )}
      {phase.is === 'done' && phase.of !== about && (
        <LateVerdict of={phase.of} found={phase.found} onShow={() => show(phase)} />
      )}
      {phase.is === 'done' && phase.of === about && (
        <>
          <VerdictCard found={phase.found} />
          {phase.found.verdict.verdict === 'violated' &&
            (game.short === phase.found.short ? (
              <p>{say('search.opened')}</p>
            ) : (
              <button type="button" onClick={() => show(phase)}>
                {say('search.open')}
              </button>
            ))}
        </>
      )}
      {command !== '' && <CommandLine command={command} />}
    </section>
  );
}
