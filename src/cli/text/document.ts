// One JSON document, for scripts.

export const document = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
