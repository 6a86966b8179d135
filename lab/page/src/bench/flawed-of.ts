// The lock that a proved one repairs: in it there is something to break.
import type { Scenario } from '../engine/types';

// The scenario's name; empty: there is none.
export function flawedOf(scenarios: Scenario[], name: string): string {
  const repairs = ({ repairs }: Scenario) => repairs.some((repair) => repair.right && repair.scenario === name);
  return scenarios.find(repairs)?.name ?? scenarios.find((one) => one.name === name)?.repairs_what ?? '';
}
