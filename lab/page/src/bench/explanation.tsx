// A text whose mentions of a step, `step 3 (A GET)`, are buttons.
interface Props {
  text: string;
  onStep(step: number): void;
}

const mention = /\b([Ss]teps? (\d+)(?: to \d+)?(?: \([^)]*\))?)/;

export function Explanation({ text, onStep }: Props) {
  const paragraphs = text.split(/\n\s*\n/).map((lines) => lines.replace(/\s*\n\s*/g, ' '));
  return (
    <div class="prose" lang="en">
      {paragraphs.map((paragraph) => (
        <p key={paragraph}>{withButtons(paragraph, onStep)}</p>
      ))}
    </div>
  );
}

function withButtons(paragraph: string, onStep: (step: number) => void) {
  const parts = paragraph.split(mention);
  const content = [];
  for (let at = 0; at < parts.length; at += 3) {
    content.push(parts[at]);
    const words = parts[at + 1];
    if (words === undefined) break;
    const step = Number(parts[at + 2]);
    content.push(
      <button type="button" class="step-mention" onClick={() => onStep(step)}>
        {words}
      </button>,
    );
  }
  return content;
}
