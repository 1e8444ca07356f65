// The reader `idea`: an idea in plain words, or what to change in a prd.json, becomes a run without stories that ends in a PRD.
import { existsSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import type { Reader } from "../../../reader.ts";
import { readPrd } from "../../../text/story-list.ts";
import { textOf } from "../reader.ts";

/** The file in the root of the checkout, if the user names none. */
const FILE = "prd.json";
/** Printed, and written nowhere but in the run's folder. */
export const PRINTED = "-";

export const ideaReader: Reader = async ({ text, flags, cwd, tree }) => {
	if (text === undefined) return null;
	const wrong = (...problems: string[]) => ({ ok: false as const, problems });
	if (text.trim() === "") return wrong("the idea is empty: say what is to be built");
	const { out, revise, force } = flags;
	const revised = typeof revise === "string" ? resolve(cwd, revise) : null;
	if (revised !== null && force === true) return wrong("--force goes with a new PRD; --revise changes the one that is there");
	const problems = revised === null ? [] : await problemsOf(revised, String(revise));
	if (problems.length > 0) return wrong(...problems);
	const named = typeof out === "string" ? (out === PRINTED ? PRINTED : resolve(cwd, out)) : (revised ?? resolve(tree, FILE));
	const taken = named === revised || force === true ? null : whyNot(named);
	if (taken !== null) return wrong(taken);
	const title = (text.split("\n").find((line) => line.trim() !== "") ?? "").trim();
	return {
		ok: true,
		title: title.length > 72 ? `${[...title].slice(0, 71).join("")}…` : title,
		stories: [],
		input: {
			request: text,
			planned_prd: named,
			...(revised === null ? {} : { revised_prd: revised }),
			...(force === true ? { replaces_prd: "yes" } : {}),
		},
		fields: {},
	};
};

async function problemsOf(file: string, name: string): Promise<readonly string[]> {
	const found = await textOf(file);
	if ("problem" in found) return [`${name} cannot be read: ${found.problem}`];
	const read = readPrd(found.text);
	return read.ok ? [] : read.problems.map(({ line, column, message }) => `${name}:${line}:${column}: ${message}`);
}

/** Nothing is overwritten that the user did not name for it. */
function whyNot(file: string): string | null {
	if (file === PRINTED) return null;
	if (existsSync(file))
		return `${file} is there already: pawl plan --revise ${basename(file)} "WHAT TO CHANGE" changes it, -o FILE writes another one, --force replaces it`;
	return existsSync(dirname(file)) ? null : `there is no folder ${dirname(file)}`;
}
