// A text whose mentions of a step, `step 3 (A GET)`, are buttons.
import { isLit, type Lit } from '../diagram/steps';

interface Props {
  text: string;
  // Steps that are lit in the diagram, if the text speaks of the run that is there.
  lit: Lit;
  onStep(step: number): void;
  onLight(lit: Lit): void;
}

const mention = /\b([Ss]teps? (\d+)(?: to (\d+))?(?: \([^)]*\))?)/;
const partsOfMention = 4;

// Runs count servers from 0, and all that is drawn from 1.
const counted = (words: string) =>
  words.replace(/\bserver (\d+)/, (_, server: string) => `server ${Number(server) + 1}`);

export function Explanation({ text, ...props }: Props) {
  const paragraphs = text.split(/\n\s*\n/).map((lines) => lines.replace(/\s*\n\s*/g, ' '));
  return (
    <div class="prose" lang="en">
      {paragraphs.map((paragraph) => (
        <p key={paragraph}>{withButtons(paragraph, props)}</p>
      ))}
    </div>
  );
}

function withButtons(paragraph: string, { lit, onStep, onLight }: Omit<Props, 'text'>) {
  const parts = paragraph.split(mention);
  const content = [];
  for (let at = 0; at < parts.length; at += partsOfMention) {
    content.push(parts[at]);
    const words = parts[at + 1];
    if (words === undefined) break;
    const from = Number(parts[at + 2]);
    const meant = { from, to: Number(parts[at + 3] ?? from) };
    const light = () => onLight(meant);
    const leave = () => onLight(null);
    const among = lit !== null && [lit.from, lit.to].some((step) => isLit(step, meant));
    content.push(
      <button
        type="button"
        class={among ? 'step-mention lit' : 'step-mention'}
        onClick={() => onStep(from)}
        onMouseEnter={light}
        onMouseLeave={leave}
        onFocus={light}
        onBlur={leave}
      >
        {counted(words)}
      </button>,
    );
  }
  return content;
}
