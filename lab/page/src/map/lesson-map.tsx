import type { Scenario } from '../engine/types';
import type { Progress } from '../state/progress';
import { useSay } from '../state/texts';
import { LessonCard } from './lesson-card';
import { firstLesson, lessonsByFamily, lessonsOf } from './lessons';

interface Props {
  scenarios: Scenario[];
  progress: Progress;
  onOpen(lesson: string): void;
}

export function LessonMap({ scenarios, progress, onOpen }: Props) {
  const say = useSay();
  const groups = lessonsByFamily(scenarios);
  const lessons = lessonsOf(scenarios);
  const solved = lessons.filter(({ name }) => progress.broken.includes(name));
  const open = groups.flatMap(([, list]) => list).filter((lesson) => !solved.includes(lesson));
  const next = open.find(({ name }) => name === firstLesson) ?? open[0];
  return (
    <div class="map">
      <header class="map-head">
        <h1>{say('map.title')}</h1>
        <p class="lead">{say('map.intro')}</p>
        <div class="map-progress">
          <progress value={solved.length} max={lessons.length} aria-label={say('map')} />
          <span>{say('map.count', { n: solved.length, all: lessons.length })}</span>
          {next && (
            <button type="button" class="primary" onClick={() => onOpen(next.name)}>
              {say(solved.length === 0 ? 'map.first' : 'map.next', { name: next.name })}
            </button>
          )}
        </div>
      </header>
      {groups.map(([family, list]) => (
        <section key={family} class="family" aria-labelledby={`family-${family}`}>
          <h2 id={`family-${family}`}>{say(`family.${family}`)}</h2>
          <ul class="cards">
            {list.map((lesson) => (
              <LessonCard
                key={lesson.name}
                lesson={lesson}
                broken={progress.broken.includes(lesson.name)}
                repaired={progress.repaired.includes(lesson.name)}
                onOpen={onOpen}
              />
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}
