import { useSay } from '../state/texts';

interface Props {
  steps: number;
  shown: number;
  onShow(step: number): void;
}

export function StepSlider({ steps, shown, onShow }: Props) {
  const say = useSay();
  const text = shown === 0 ? say('slider.start') : say('slider.at', { n: shown, all: steps });
  return (
    <label class="slider">
      <span>{text}</span>
      <input
        type="range"
        min="0"
        max={steps}
        value={shown}
        disabled={steps === 0}
        aria-label={say('slider')}
        aria-valuetext={text}
        onInput={(event) => onShow(Number(event.currentTarget.value))}
      />
    </label>
  );
}
