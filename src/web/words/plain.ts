// Text that people and agents wrote, without the codes that a terminal obeys and the characters that turn a line around.

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what is taken out
const CODES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[ -/]*[0-~])/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above; tab and line feed stay
const OBEYED = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

export const plain = (text: string): string => text.replaceAll("\r\n", "\n").replaceAll(CODES, "").replaceAll(OBEYED, "");

/** On one line. */
export const flat = (text: string): string => plain(text).replaceAll(/\s+/g, " ").trim();
