export const introText = (...a: unknown[]): string => `${a}`;
export const happenedText = (...a: unknown[]): string => `${a.length}`;
export const lookAroundText = (...a: unknown[]): string => `${a}`;
