// Verifies a worker's claim that a story passes: pawl itself runs the story's commands, then those of the whole run. If one fails, the
// claim is revoked, and the reason is put where the next worker reads it. Before the run may end, the commands of every story that passes run again:
// later work may have broken what they proved.
import { failingPart } from "../../core/failing-part.ts";
import type { CheckResult } from "../../core/input.ts";
import { EVERY_CHECK, type StepContext } from "../../format.ts";
import { RALPH, type RunFolder } from "./folder.ts";
import { idOf, type PrdDoc, passes, readDoc, textsIn, topOf, withStories } from "./stories.ts";

/** Why a story does not pass: one line, and the part of the output that says why. */
export interface Refuted {
	readonly why: string;
	readonly output: string;
	/** It passed before this iteration. */
	readonly before?: true;
}

export const refutedText = (story: string, { why, before }: Refuted): string =>
	`${story} ${before ? "passed before and no longer does" : "was said to pass and does not"}, \`passes\` is false again: ${why}`;

export interface Claims {
	/** prd.json when the iteration began. */
	readonly was: string;
	/** Story → the fields of its definition that the iteration changed, which are back. */
	readonly redefined: ReadonlyMap<string, readonly string[]>;
	/** How many stories passed before; the commands of the whole run are due with every `every`-th one. */
	readonly completions: number;
	readonly every: number;
	/** Somebody says that the work is done: every story that passes is looked at. */
	readonly ends: boolean;
}

export interface Looked {
	readonly checks: readonly CheckResult[];
	/** Story → why it does not pass. */
	readonly refuted: ReadonlyMap<string, Refuted>;
	/** How many new claims hold. */
	readonly stand: number;
}

export const NOTHING_CLAIMED: Looked = { checks: [], refuted: new Map(), stand: 0 };

export async function lookIntoClaims(
	context: StepContext,
	folder: RunFolder,
	{ was, redefined, completions, every, ends }: Claims,
): Promise<Looked> {
	const [old, now] = [readDoc(was), readDoc(folder.text(folder.own("prd.json")) ?? "")];
	if (!old.ok || !now.ok) return NOTHING_CLAIMED;
	const before = new Map(old.doc.stories.map((s) => [idOf(s), passes(s)]));
	const isClaim = (s: PrdDoc["stories"][number]): boolean => before.get(idOf(s)) !== true;
	const passing = now.doc.stories.filter(passes);
	const claimed = passing.filter(isClaim);
	const open = now.doc.stories.some((s) => !passes(s));
	const looked = ends || (claimed.length > 0 && !open) ? passing : claimed;
	if (looked.length === 0) return NOTHING_CLAIMED;
	const checks: CheckResult[] = [];
	const refuted = new Map<string, Refuted>();
	await aside(context, async () => {
		for (const story of looked) {
			const changed = isClaim(story) ? redefined.get(idOf(story)) : undefined;
			const failed = changed
				? { why: changedWith(changed), output: "" }
				: await firstFailure(context, textsIn(story["verification_commands"]), idOf(story), checks);
			if (failed !== null) refuted.set(idOf(story), isClaim(story) ? failed : { ...failed, before: true });
		}
		const stands = claimed.filter((s) => !refuted.has(idOf(s)));
		if (stands.length === 0) return;
		const due = Math.floor((completions + stands.length) / every) > Math.floor(completions / every);
		// First, so that a command which is also one of the repository's checks does not run twice.
		const failed =
			(await failedCheck(context, checks)) ??
			(due ? await firstFailure(context, textsIn(topOf(now.doc, "global_verification")), GLOBAL, checks) : null);
		if (failed !== null) for (const story of stands) refuted.set(idOf(story), failed);
	});
	if (refuted.size > 0 && !context.signal.aborted) takeBack(folder, now.doc, refuted);
	return { checks, refuted, stand: claimed.filter((s) => !refuted.has(idOf(s))).length };
}

const changedWith = (fields: readonly string[]): string =>
	`${fields.map((name) => `\`${name}\``).join(", ")} of it ${fields.length === 1 ? "was" : "were"} changed in the iteration that claims it. What it has to meet is back as it was: check it against that, then claim it again`;

/** The repository's own checks: no story passes on a tree on which one of them fails. */
async function failedCheck(context: StepContext, checks: CheckResult[]): Promise<Refuted | null> {
	const results = await context.check([EVERY_CHECK], context.workspace.path);
	checks.push(...results);
	const failed = results.find((result) => result.exitCode !== 0);
	return failed === undefined ? null : reasonOf(failed, `the check ${failed.name} of this repository fails: `);
}

/** The name of the commands of the whole run. */
const GLOBAL = "global";
const SHOWN = 2000;
const reasonOf = ({ command, exitCode, output }: CheckResult, before = ""): Refuted => ({
	why: `${before}\`${command}\` ${exitCode === null ? "did not end" : `exited ${exitCode}`}`,
	output: failingPart(output, SHOWN).trim(),
});

async function firstFailure(
	context: StepContext,
	commands: readonly string[],
	name: string,
	checks: CheckResult[],
): Promise<Refuted | null> {
	for (const command of commands) {
		const ran = checks.find((one) => one.command === command && one.exitCode === 0);
		// What passed a moment ago for the whole run is listed there; of a story it is evidence.
		if (ran !== undefined && name === GLOBAL) continue;
		const result = ran === undefined ? await context.run(command, { name }) : { ...ran, name, reused: true as const };
		checks.push(result);
		if (result.exitCode !== 0) return reasonOf(result);
	}
	return null;
}

/** Whatever the commands leave in the tree is removed: it is not the worker's. */
const aside = (context: StepContext, work: () => Promise<void>): Promise<void> =>
	context.undisturbed(work, (path) => path.startsWith(`${RALPH}/`));

function takeBack(folder: RunFolder, doc: PrdDoc, refuted: ReadonlyMap<string, Refuted>): void {
	const stories = doc.stories.map((s) => (refuted.has(idOf(s)) ? { ...s, passes: false } : s));
	folder.write(folder.own("prd.json"), withStories(doc, stories).text);
}
