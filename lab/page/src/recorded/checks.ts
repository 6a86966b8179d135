// What the values of a run from a file may be.
type Fields = Record<string, unknown>;
export type Check = (value: unknown) => boolean;

const longestText = 10_000;

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const text: Check = (value) => typeof value === 'string' && value.length <= longestText;
export const named: Check = (value) => text(value) && value !== '';
export const truth: Check = (value) => typeof value === 'boolean';
export const whole: Check = (value) => Number.isSafeInteger(value);
export const from =
  (least: number, most = Number.MAX_SAFE_INTEGER): Check =>
  (value) =>
    whole(value) && (value as number) >= least && (value as number) <= most;
export const oneOf =
  (...values: unknown[]): Check =>
  (value) =>
    values.includes(value);
export const listOf =
  (check: Check, most = 1000): Check =>
  (value) =>
    Array.isArray(value) && value.length <= most && value.every(check);
export const perhaps =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
// The first field that is missing or wrong; empty: none is. Other fields are passed over: later versions
// may add some.
export const wrongField = (value: unknown, checks: Record<string, Check>): string =>
  Object.entries(checks).find(([name, check]) => !isFields(value) || !check(value[name]))?.[0] ?? '';
export const fields =
  (checks: Record<string, Check>): Check =>
  (value) =>
    isFields(value) && wrongField(value, checks) === '';
