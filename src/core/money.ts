// Amounts of money as people read them.

export const money = (usd: number): string => `$${usd.toFixed(usd !== 0 && usd < 0.1 ? 3 : 2)}`;
