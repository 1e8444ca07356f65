// A problem with an input that a reader refuses, with its position in the text.
export interface Problem {
	readonly line: number;
	readonly column: number;
	readonly message: string;
}
