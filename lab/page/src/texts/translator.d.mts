export type Translate = (text: string) => string;

export function makeTranslator(texts: {
  sentences: Record<string, string>;
  phrases: Record<string, string>;
  comma: string;
}): Translate;
