// The run as a file to keep: for this page and the program, or as a picture.
import type { Engine } from '../engine/engine';
import type { GameState } from '../engine/types';
import { useSay } from '../state/texts';

const kinds = { json: ['jsonl', 'application/x-ndjson'], svg: ['svg', 'image/svg+xml'] } as const;

function save(text: string, name: string, type: string) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The browser reads it after the click.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

export function SaveButtons({ engine, game }: { engine: Engine; game: GameState }) {
  const say = useSay();
  const write = (format: 'json' | 'svg') => {
    const [ending, type] = kinds[format];
    save(engine.draw(format), `${game.name}.${ending}`, type);
  };
  return (
    <div class="form-buttons">
      <button type="button" onClick={() => write('json')}>
        {say('save.run')}
      </button>
      <button type="button" onClick={() => write('svg')}>
        {say('save.picture')}
      </button>
    </div>
  );
}
