// Where to go after a lesson that is broken and repaired.
import type { Scenario } from '../engine/types';
import { lessonAfter } from '../map/lessons';
import type { Progress } from '../state/progress';
import { useSay } from '../state/texts';
import type { Lab } from '../state/use-lab';

interface Props {
  lesson: Scenario;
  scenarios: Scenario[];
  progress: Progress;
  lab: Lab;
}

export const isFinished = (lesson: Scenario, progress: Progress) =>
  progress.broken.includes(lesson.name) &&
  (lesson.repairs.length === 0 || progress.repaired.includes(lesson.name));

export function NextLesson({ lesson, scenarios, progress, lab }: Props) {
  const say = useSay();
  const next = lessonAfter(scenarios, lesson.name, progress.broken);
  if (!isFinished(lesson, progress) || !next) return null;
  return (
    <section class="panel next-lesson" aria-label={say('next')}>
      <p>{say(lesson.repairs.length > 0 ? 'next.repaired' : 'next.broken')}</p>
      <button type="button" class="primary" onClick={() => lab.open(`${next.name}:`)}>
        {say('map.next', { name: next.name })}
      </button>
    </section>
  );
}
