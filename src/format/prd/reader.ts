// The reader `prd`: a prd.json that the flag `--prd` names → the stories of a run.
import { resolve } from "node:path";
import { readGiven } from "../../files/given.ts";
import type { StoriesNow } from "../../format.ts";
import type { Reader } from "../../reader.ts";
import { readManyIssues } from "../../text/read-issues.ts";
import { readPrd } from "../../text/story-list.ts";

export const MAX_BYTES = 16 * 1024 * 1024;

export const prdReader: Reader = async (given) => {
	const { flags, cwd } = given;
	const name = flags["prd"];
	if (typeof flags["issues"] === "string") {
		if (name !== undefined) return { ok: false, problems: ["give --prd or --issues, not both"] };
		return readManyIssues(given, flags["issues"]);
	}
	if (typeof name !== "string") return null;
	const file = resolve(cwd, name);
	const found = await textOf(file);
	if ("problem" in found) return { ok: false, problems: [`${name} cannot be read: ${found.problem}`] };
	const read = readPrd(found.text);
	if (!read.ok) return { ok: false, problems: read.problems.map((p) => `${name}:${p.line}:${p.column}: ${p.message}`) };
	const { stories, name: title } = read.prd;
	if (stories.length === 0) return { ok: false, problems: [`${name} has no story`] };
	return { ok: true, title: title || name, stories, input: { prd: file }, fields: {}, source: ["prd"], growing: name };
};

/** The text of a prd.json that a person named, or why there is none. */
export async function textOf(file: string): Promise<{ readonly text: string } | { readonly problem: string }> {
	const found = await readGiven(file, { max: MAX_BYTES });
	return "missing" in found ? { problem: "there is no such file" } : found;
}

/** The current stories of the file that a run was started from. null: it came through a pipe, which is gone. */
export async function storiesNow(file: string): Promise<StoriesNow | null> {
	if (/^\/(dev\/(fd\/|stdin$)|proc\/)/.test(file)) return null;
	const found = await textOf(file);
	if ("problem" in found) return { file, problem: found.problem };
	const read = readPrd(found.text);
	if (read.ok) return { file, stories: read.prd.stories };
	return { file, problem: read.problems.map((p) => `${p.line}:${p.column}: ${p.message}`).join("; ") };
}
