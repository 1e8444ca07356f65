// A seeded fault: a small mistake of the kind that was found from outside once, as a replacement of text in one file, and the test that has to notice it.

export interface Fault {
	readonly id: string;
	/** The rule that it breaks: of the guarantees (G-01 …), the single faults (T-01 …) or the invariants (I1 …). */
	readonly rule: string;
	/** What pawl does wrong with it. */
	readonly what: string;
	readonly file: string;
	/** Occurs exactly once in the file. */
	readonly find: string;
	readonly put: string;
	/** A file of tests that runs in one process. */
	readonly test: string;
	/** A part of the name of the test, or of the group of tests, that has to fail. */
	readonly name: string;
}

/** The text of the file with the fault; throws if the code has changed so that the fault no longer fits. */
export function seeded({ id, file, find, put }: Fault, text: string): string {
	const parts = text.split(find);
	if (parts.length !== 2) throw new Error(`${id}: ${file} has the text ${parts.length - 1} times: adapt the fault to the code\n${find}`);
	return parts.join(put);
}
