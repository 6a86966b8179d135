// The run from a file: chosen, or dropped anywhere on the page. A file without a run changes nothing.
import { useCallback, useEffect, useState } from 'preact/hooks';
import type { Engine } from '../engine/engine';
import { checkedRun, type CheckedFile } from './checked-run';
import { NoRun, readRun, type Problem } from './read-run';

const mostBytes = 50_000_000;

export interface WrongFile {
  name: string;
  what: Problem | 'unreadable' | 'large';
  line: number;
  values?: Record<string, string>;
}

export interface OpenedFile {
  file: CheckedFile | null;
  // How many files were opened.
  count: number;
  wrong: WrongFile | null;
  take(file: File | undefined): Promise<void>;
  forgetWrong(): void;
}

async function read(engine: Engine, file: File): Promise<CheckedFile | WrongFile> {
  const { name } = file;
  if (file.size > mostBytes) return { name, what: 'large', line: 0 };
  let words;
  try {
    words = await file.text();
  } catch {
    return { name, what: 'unreadable', line: 0 };
  }
  try {
    return checkedRun(await engine.another(), readRun(words));
  } catch (problem) {
    if (!(problem instanceof NoRun)) throw problem;
    return { name, what: problem.what, line: problem.line, values: problem.values };
  }
}

export function useRunFile(engine: Engine, onOpen: () => void): OpenedFile {
  const [file, setFile] = useState<CheckedFile | null>(null);
  const [count, setCount] = useState(0);
  const [wrong, setWrong] = useState<WrongFile | null>(null);

  const take = useCallback(
    async (given: File | undefined) => {
      if (!given) return;
      const found = await read(engine, given);
      if ('what' in found) {
        setWrong(found);
        return;
      }
      setWrong(null);
      setFile(found);
      setCount((before) => before + 1);
      onOpen();
    },
    [engine, onOpen],
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
