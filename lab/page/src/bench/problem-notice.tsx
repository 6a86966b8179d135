// What is wrong with an address, in one line, and the lessons that may have been meant.
import type { Scenario } from '../engine/types';
import type { AddressProblem } from '../state/address-problem';
import { nearNames } from '../state/near';
import { useSay, useTranslate, type Say } from '../state/texts';
import type { Translate } from '../texts/translator.mjs';

// What a reader has typed is refused as a whole; of an address what is right is kept.
function words(problem: AddressProblem, refused: boolean, say: Say, translate: Translate): string {
  switch (problem.is) {
    case 'form':
      return say('wrong.form', { text: problem.text });
    case 'colons':
      return say('wrong.colons', { text: problem.text, example: problem.example });
    case 'word':
      return say('wrong.word', { word: problem.word });
    case 'marks':
      return say(refused ? 'refused.marks' : 'wrong.marks', { marks: problem.marks });
    case 'repair':
      return say(refused ? 'refused.repair' : 'wrong.repair', { name: problem.name, run: problem.run });
    case 'command':
      return say('wrong.command');
    case 'scenario':
      return say('wrong.scenario', { name: problem.name });
    case 'options':
      return say(refused ? 'refused.options' : 'wrong.options', { why: translate(problem.why) });
    case 'steps':
      return say(refused ? 'refused.steps' : 'wrong.steps', { n: problem.kept + 1, why: translate(problem.why) });
    case 'end':
      return say(refused ? 'refused.end' : 'wrong.end', { n: problem.kept, why: translate(problem.why) });
  }
}

interface Props {
  problem: AddressProblem;
  refused?: boolean;
  scenarios: Scenario[];
  onOpen(short: string): void;
}

export function ProblemNotice({ problem, refused = false, scenarios, onOpen }: Props) {
  const say = useSay();
  const translate = useTranslate();
  const named = problem.is === 'scenario' ? problem.name : problem.is === 'form' ? problem.text : '';
  const near = named ? nearNames(named, scenarios.map(({ name }) => name)) : [];
  return (
    <p class="notice notice-error" role="alert">
      {words(problem, refused, say, translate)}
      {near.length > 0 && say('gap') + say('wrong.near')}
      {near.map((name) => (
        <>
          {' '}
          <button key={name} type="button" class="link mono" onClick={() => onOpen(`${name}:`)}>
            {name}
          </button>
        </>
      ))}
    </p>
  );
}
