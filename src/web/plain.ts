// Text that people and agents wrote, without the codes that a terminal obeys and the characters that turn a line around.

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what is taken out
const CODES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[ -/]*[0-~])/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above; tab and line feed stay
const OBEYED = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

export const plain = (text: string): string => text.replaceAll("\r\n", "\n").replaceAll(CODES, "").replaceAll(OBEYED, "");

/** On one line. */
export const flat = (text: string): string => plain(text).replaceAll(/\s+/g, " ").trim();

/** What may hold colours, and is shown where they are read; a patch is what git wrote. */
const AS_IT_IS = new Set(["output", "notes", "patch", "prompt"]);

/** An answer of the server: every text in it is plain, but for those that may have colours. */
export const parsePlain = (json: string): unknown =>
	JSON.parse(json, (key, value: unknown) => (typeof value === "string" && !AS_IT_IS.has(key) ? plain(value) : value));

/** A value as JSON to look at, without the codes in its texts. */
export const jsonText = (value: unknown, indent = 2): string =>
	JSON.stringify(value, (_, one: unknown) => (typeof one === "string" ? plain(one) : one), indent) ?? "";
