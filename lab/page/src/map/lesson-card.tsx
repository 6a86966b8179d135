import type { Scenario } from '../engine/types';
import { faultsIn, sentence } from '../state/run-words';
import { useSay, useTranslate } from '../state/texts';
import { difficulty } from './lessons';

interface Props {
  lesson: Scenario;
  broken: boolean;
  repaired: boolean;
  onOpen(lesson: string): void;
}

export function LessonCard({ lesson, broken, repaired, onOpen }: Props) {
  const say = useSay();
  const translate = useTranslate();
  const level = difficulty(lesson);
  return (
    <li>
      <button type="button" class="card" onClick={() => onOpen(lesson.name)}>
        <span class="card-name mono">{lesson.name}</span>
        <span class="card-summary">{sentence(translate(lesson.summary))}</span>
        <span class="card-foot">
          <span class="level" role="img" aria-label={say('map.difficulty', { level })}>
            {[1, 2, 3].map((dot) => (
              <i key={dot} class={dot <= level ? 'on' : ''} />
            ))}
          </span>
          <span>
            {say('steps', { n: lesson.steps })} · {faultsIn(lesson.faults, say)}
          </span>
          {broken && (
            <span class="card-solved">✓ {say(repaired ? 'map.repaired' : 'map.solved')}</span>
          )}
        </span>
      </button>
    </li>
  );
}
