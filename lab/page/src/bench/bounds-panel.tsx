// The bounds as fields, and a search of all runs within them.
import { useState } from 'preact/hooks';
import type { Searcher } from '../engine/searcher';
import type { GameState, Scenario } from '../engine/types';
import { useSay } from '../state/texts';
import type { Lab } from '../state/use-lab';
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
}

export function BoundsPanel({ game, scenario, lab, searcher }: Props) {
  const say = useSay();
  const { phase, search, reset, cancel } = useSearch(searcher);
  const [bounds, setBounds] = useState<Bounds>(() => Object.fromEntries(game.options));
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
    lab.open(beginning(game.name, bounds));
  };
  const explore = async (event: Event) => {
    event.preventDefault();
    const found = await search(beginning(game.name, bounds));
    if (found?.verdict.verdict === 'violated') lab.open(found.short);
  };

  return (
    <section class="panel bounds">
      <h2>{say('bounds')}</h2>
      <p class="small">{say('bounds.intro')}</p>
      <form onSubmit={explore}>
        <div class="fields">
          {boundNames.map((name) => {
            const value = bounds[name] ?? '';
            const set = (to: string) => setBounds({ ...bounds, [name]: to });
            if (name === 'property') {
              return <PropertyField key={name} properties={game.properties} value={value} onChange={set} />;
            }
            return (
              <BoundField
                key={name}
                name={name}
                value={value}
                fixed={fixed[name] ?? false}
                placeholder={examples[name]}
                onChange={set}
              />
            );
          })}
        </div>
        <FaultChoice value={bounds.faults ?? ''} onChange={(faults) => setBounds({ ...bounds, faults })} />
        <BoundsHelp />
        <div class="form-buttons">
          <button type="submit" class="primary" disabled={phase.is === 'running'}>
            {say('bounds.search')}
          </button>
          <button type="button" onClick={open}>
            {say('bounds.open')}
          </button>
        </div>
      </form>
      <SearchStatus phase={phase} onCancel={cancel} />
      {phase.is === 'done' && <VerdictCard found={phase.found} />}
      {phase.is === 'done' && phase.found.verdict.verdict === 'violated' && (
        <p>{say('search.opened')}</p>
      )}
    </section>
  );
}
