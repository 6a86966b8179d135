// A text whose mentions of a step, `step 3 (A GET)` or `第 3 步（A GET）`, are buttons.
interface Props {
  text: string;
  onStep(step: number): void;
}

const mention = /(\b[Ss]teps? \d+(?: to \d+)?(?: \([^)]*\))?|第 \d+ 步(?:（[^）]*）)?)/;

export function Explanation({ text, onStep }: Props) {
  const paragraphs = text.split(/\n\s*\n/).map((lines) => lines.replace(/\s*\n\s*/g, ' '));
  return (
    <div class="prose">
      {paragraphs.map((paragraph) => (
        <p key={paragraph}>{withButtons(paragraph, onStep)}</p>
      ))}
    </div>
  );
}

function withButtons(paragraph: string, onStep: (step: number) => void) {
  const parts = paragraph.split(mention);
  const content = [];
  for (let at = 0; at < parts.length; at += 2) {
    content.push(parts[at]);
    const words = parts[at + 1];
    if (words === undefined) break;
    const step = Number(words.match(/\d+/)![0]);
    content.push(
      <button type="button" class="step-mention" onClick={() => onStep(step)}>
        {words}
      </button>,
    );
  }
  return content;
}
