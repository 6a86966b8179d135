// The run from a file: chosen, or dropped anywhere on the page. A file without a run changes nothing.
import { useCallback, useEffect, useState } from 'preact/hooks';
import { NoRun, readRun, type Problem, type RunFile } from './read-run';

const mostBytes = 50_000_000;

export interface WrongFile {
  name: string;
  what: Problem | 'unreadable' | 'large';
  line: number;
}

export interface OpenedFile {
  file: RunFile | null;
  // How many files were opened.
  count: number;
  wrong: WrongFile | null;
  take(file: File | undefined): Promise<void>;
  forgetWrong(): void;
}

async function read(file: File): Promise<RunFile | WrongFile> {
  const { name } = file;
  if (file.size > mostBytes) return { name, what: 'large', line: 0 };
  let words;
  try {
    words = await file.text();
  } catch {
    return { name, what: 'unreadable', line: 0 };
  }
  try {
    return readRun(words);
  } catch (problem) {
    if (!(problem instanceof NoRun)) throw problem;
    return { name, what: problem.what, line: problem.line };
  }
}

export function useRunFile(onOpen: () => void): OpenedFile {
  const [file, setFile] = useState<RunFile | null>(null);
  const [count, setCount] = useState(0);
  const [wrong, setWrong] = useState<WrongFile | null>(null);

  const take = useCallback(
    async (given: File | undefined) => {
      if (!given) return;
      const found = await read(given);
      if ('what' in found) {
        setWrong(found);
        return;
      }
      setWrong(null);
      setFile(found);
      setCount((before) => before + 1);
      onOpen();
    },
    [onOpen],
  );
  useEffect(() => {
    const drop = (event: DragEvent) => {
      event.preventDefault();
      void take(event.dataTransfer?.files[0]);
    };
    const allow = (event: DragEvent) => event.preventDefault();
    addEventListener('dragover', allow);
    addEventListener('drop', drop);
    return () => {
      removeEventListener('dragover', allow);
      removeEventListener('drop', drop);
    };
  }, [take]);
  const forgetWrong = useCallback(() => setWrong(null), []);
  return { file, count, wrong, take, forgetWrong };
}
