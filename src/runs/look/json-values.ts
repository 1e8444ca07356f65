// How times and amounts are written in the documents that `--json` prints.

export const iso = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString());

/** Rounds away the floating-point tail of a sum. */
export const usd = (amount: number | null): number | null => (amount === null ? null : Number(amount.toFixed(6)));
