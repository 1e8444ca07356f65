// What an input reader says about an input that it refuses: all that is wrong, each with its place in the text.
export interface Problem {
	readonly line: number;
	readonly column: number;
	readonly message: string;
}
