// control.json: how people and reviewers control a loop under way. Each key is removed when it is taken, except `pause`, which holds the
// loop for as long as it is set.
import { type BigIntStats, lstatSync } from "node:fs";
import type { Message } from "../../core/input.ts";
import type { ControlFiles, ControlFilesContext, ControlMessage } from "../../format.ts";
import { controlProblems } from "./control-problems.ts";
import { countIn, jsonText, objectIn, RunFolder } from "./folder.ts";

export const NOTHING_ASKED = {
	pause: false,
	stop_soft: false,
	stop_hard: false,
	skip_iteration: false,
	add_iterations: 0,
	review_now: false,
	review_next: false,
} as const;

const NAME = "control.json";
const SETTLED_MS = 50;
/** Other tools' names for the same keys. */
const FLAGS = ["stop", "stop_soft", "stop_hard", "skip_iteration", "add_iterations", "review_now", "review_next"] as const;

export function folderOf(context: Pick<ControlFilesContext, "state" | "workspace">): RunFolder | null {
	return RunFolder.of(context.state.input, context.workspace.path);
}

export const control: ControlFiles = {
	async look(context) {
		const folder = folderOf(context);
		const stat = folder && statOf(folder);
		if (!folder || !stat) return null;
		const found = folder.read(folder.own(NAME));
		const asked = objectIn("text" in found ? found.text : null);
		// The file was replaced while it was read, so the wrong content would be marked as taken. The next read gets the new one.
		if (idOf(stat) !== idOf(statOf(folder))) return null;
		// A writer that does not replace the file as a whole may still be writing it.
		const age = context.now() - Number(stat.mtimeMs);
		if (asked === null && age >= 0 && age < SETTLED_MS) return null;
		const held = typeof context.state.held === "string";
		const asks = asked !== null && (FLAGS.some((flag) => isSet(asked[flag])) || (asked["pause"] === true) !== held);
		const problems = newProblems(context.state.id, controlProblems(found));
		if (!asks && problems.length === 0) return null;
		// A message for an earlier run does not count for this one.
		const stale = context.state.input["begins"] === "anew" && Number(stat.mtimeMs) < context.state.createdAt - 1 && untouched(context);
		const message = !asks
			? { text: "" }
			: stale
				? { text: `left from before this run, cleared: ${words(asked, held)}` }
				: messageOf(asked, held);
		if (problems.length === 0) return { id: idOf(stat), message };
		const text = [message.text, ...problems].filter((one) => one !== "").join("; ");
		return { id: idOf(stat), message: { ...message, text, reason: message.text } };
	},

	async clear(context, letter) {
		const folder = folderOf(context);
		const now = folder && objectIn(folder.text(folder.own(NAME)));
		if (!folder || !now || !isSame(folder, letter)) return;
		const { stop: _, reason: __, ...rest } = now;
		const text = jsonText({
			...rest,
			...NOTHING_ASKED,
			pause: letter.message.hold ?? (context.state.held ? now["pause"] === true : false),
		});
		if (text !== folder.text(folder.own(NAME))) folder.write(folder.own(NAME), text);
	},
};

/** Problems of control.json by run: a file that stays as it is is remarked on once. */
const remarked = new Map<string, { readonly said: Set<string>; untold: string[] }>();

function newProblems(run: string, problems: readonly string[]): string[] {
	if (problems.length === 0) return [];
	const known = remarked.get(run) ?? { said: new Set(), untold: [] };
	remarked.set(run, known);
	const fresh = problems.filter((problem) => !known.said.has(problem));
	for (const problem of fresh) known.said.add(problem);
	known.untold.push(...fresh);
	return fresh;
}

/** What the next iteration has to be told, as an agent may have written the file. Each problem is returned once. */
export const untoldProblems = (run: string): string[] => remarked.get(run)?.untold.splice(0) ?? [];

/** No message was ever taken and no iteration has begun. */
const untouched = ({ state }: ControlFilesContext): boolean => state.taken === undefined && state.root.steps.every((s) => s.attempt === 0);
const isSet = (value: unknown): boolean => value === true || (typeof value === "number" && value > 0);

const statOf = (folder: RunFolder): BigIntStats | undefined =>
	lstatSync(folder.path(folder.own(NAME)), { bigint: true, throwIfNoEntry: false });
const idOf = (stat: BigIntStats | undefined): string => (stat === undefined ? "" : `${stat.ino}:${stat.mtimeNs}:${stat.size}`);
const isSame = (folder: RunFolder, letter: ControlMessage): boolean => idOf(statOf(folder)) === letter.id;

function messageOf(asked: Readonly<Record<string, unknown>>, held: boolean): Message {
	const stops = ["stop", "stop_soft", "stop_hard"].some((flag) => isSet(asked[flag]));
	const reviews = isSet(asked["review_now"]) || isSet(asked["review_next"]);
	const more = countIn(asked["add_iterations"], 1) ?? 0;
	const pause = asked["pause"] === true;
	return {
		text: words(asked, held),
		...(pause === held ? {} : { hold: pause }),
		...(stops || reviews ? { signals: [...(stops ? ["stop"] : []), ...(reviews ? ["review_asked"] : [])] } : {}),
		...(isSet(asked["stop_hard"]) ? { now: true } : {}),
		...(isSet(asked["skip_iteration"]) ? { skip: countIn(asked["skip_iteration"], 1) ?? 1 } : {}),
		...(more > 0 ? { add: { max_iterations: more } } : {}),
	};
}

function words(asked: Readonly<Record<string, unknown>>, held: boolean): string {
	const pause = asked["pause"] === true;
	const set = FLAGS.filter((flag) => isSet(asked[flag])).map((flag) =>
		flag === "add_iterations" ? `${flag}: ${String(asked[flag])}` : flag,
	);
	const reason = typeof asked["reason"] === "string" && asked["reason"] !== "" ? ` (${asked["reason"].slice(0, 500)})` : "";
	return [...(pause === held ? [] : [pause ? "pause" : "pause is over"]), ...set].join(", ") + reason;
}
