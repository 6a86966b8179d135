// The width of an element in units of the text's size, so that the diagram grows with its text.
import { useLayoutEffect, useState } from 'preact/hooks';
import type { RefObject } from 'preact';

const unitsPerEm = 16;
const least = 280;

export function useWidth(box: RefObject<HTMLElement>): number {
  const [width, setWidth] = useState(640);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const measure = () => {
      const size = parseFloat(getComputedStyle(element).fontSize) || unitsPerEm;
      setWidth(Math.max(Math.round((element.clientWidth / size) * unitsPerEm), least));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [box]);
  return width;
}
