// What a format adds to the prompts of its workflows. This folder knows no format.

export interface PromptAdditions {
	/** Texts shown with the agent's own files, each between tags of this name. */
	readonly files: readonly { readonly tag: string; readonly text: string }[];
	/** Lines about where the agent works. */
	readonly surroundings: readonly string[];
	/** Variables; they override those that every prompt has. */
	readonly variables: Readonly<Record<string, string>>;
	/** The same for text from outside: put between tags of the variable's name, or left out if it is empty. */
	readonly quoted: Readonly<Record<string, string>>;
	/** Why the step runs again, in place of the reason that the route gave: empty if the step's own text says it. */
	readonly reason?: string;
}

export const NO_ADDITIONS: PromptAdditions = { files: [], surroundings: [], variables: {}, quoted: {} };
