// A text whose mentions of a step, `step 3 (A GET)` or `第 3 步（A GET）`, are buttons.
import { isLit, lights, type Light } from '../diagram/use-light';

interface Props {
  text: string;
  light: Light;
  // None: the steps are not known yet, or there is no run with them.
  onStep: ((step: number) => void) | undefined;
}

const mention = /(\b[Ss]teps? \d+(?: to \d+)?(?: \([^)]*\))?|第 \d+ 步(?:[到至]第 \d+ 步)?(?:（[^）]*）)?)/;

// The words before a parenthesis name one step, or the first and the last of several.
function stepsIn(words: string) {
  const [from = 0, to = from] = (words.split(/[(（]/, 1)[0]!.match(/\d+/g) ?? []).map(Number);
  return { from, to };
}

// Runs count servers from 0, and all that is drawn from 1.
const counted = (words: string) =>
  words.replace(/(\bserver|服务器) (\d+)/, (_, word: string, server: string) => `${word} ${Number(server) + 1}`);

export function Explanation({ text, ...props }: Props) {
  const paragraphs = text.split(/\n\s*\n/).map((lines) => lines.replace(/\s*\n\s*/g, ' '));
  return (
    <div class="prose">
      {paragraphs.map((paragraph) => (
        <p key={paragraph}>{withButtons(paragraph, props)}</p>
      ))}
    </div>
  );
}

function withButtons(paragraph: string, { light, onStep }: Omit<Props, 'text'>) {
  const parts = paragraph.split(mention);
  const content = [];
  for (let at = 0; at < parts.length; at += 2) {
    content.push(parts[at]);
    const words = parts[at + 1];
    if (words === undefined) break;
    const meant = stepsIn(words);
    const { lit } = light;
    const among = lit !== null && [lit.from, lit.to].some((step) => isLit(step, meant));
    content.push(
      <button
        type="button"
        class={among ? 'step-mention lit' : 'step-mention'}
        disabled={!onStep}
        onClick={() => onStep?.(meant.from)}
        {...lights(light, meant)}
      >
        {counted(words)}
      </button>,
    );
  }
  return content;
}
