export const bounds: string[];
export const withoutValue: string[];
export const others: string[];
