// What a format adds to a prompt, for workflows that are its own: this folder knows none of them.

export interface PromptAdditions {
	/** Texts that stand with the agent's own files, each between tags of this name. */
	readonly files: readonly { readonly tag: string; readonly text: string }[];
	/** Lines about the place that the agent works in. */
	readonly surroundings: readonly string[];
	/** Variables; they win over those that every prompt has. */
	readonly variables: Readonly<Record<string, string>>;
	/** The same, for text from outside: it is put between tags of the variable's name, or left out where there is none. */
	readonly quoted: Readonly<Record<string, string>>;
}

export const NO_ADDITIONS: PromptAdditions = { files: [], surroundings: [], variables: {}, quoted: {} };
