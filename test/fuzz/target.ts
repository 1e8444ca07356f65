// What can be fuzzed: one reader of foreign text. Its run feeds it one text and throws if anything is wrong: whatever the reader itself throws, and
// whatever its own properties (a round trip, two ways that must agree) find.

export interface Target {
	/** Also the name of its folder in the corpus. */
	readonly name: string;
	/** Its folder in the corpus, if it shares that of another one. */
	readonly corpus?: string;
	/** Words of its format: mutations insert them, and each is repeated to a megabyte. */
	readonly words: readonly string[];
	/** How many readers one run calls, if more than one: each has its own limit of time. */
	readonly readers?: number;
	/** Milliseconds for a megabyte, if it needs more than others. */
	readonly limitMs?: number;
	readonly run: (text: string) => void | Promise<void>;
	/** Removes what it made. */
	readonly close?: () => Promise<void>;
}

export interface Violation {
	readonly target: string;
	readonly seed: number;
	readonly message: string;
	/** The text, or the shape of a large one as JSON. */
	readonly input: string;
}
