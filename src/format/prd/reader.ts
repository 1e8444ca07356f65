// The reader `prd`: a prd.json → the stories of a run.
import { readGiven } from "../../files/given.ts";

export const MAX_BYTES = 16 * 1024 * 1024;

/** The text of a prd.json that a person named, or why there is none. */
export async function textOf(file: string): Promise<{ readonly text: string } | { readonly problem: string }> {
	const found = await readGiven(file, { max: MAX_BYTES });
	return "missing" in found ? { problem: "there is no such file" } : found;
}
