// control.json: how people and reviewers control a loop under way. Each key is removed when it is taken, except `pause`, which holds the
// loop for as long as it is set.
import { type BigIntStats, lstatSync } from "node:fs";
import type { Message } from "../../core/input.ts";
import type { ControlFiles, ControlFilesContext, ControlMessage } from "../../format.ts";
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
/** Other tools' names for the same keys. */
const FLAGS = ["stop", "stop_soft", "stop_hard", "skip_iteration", "add_iterations", "review_now", "review_next"] as const;

export function folderOf(context: Pick<ControlFilesContext, "state" | "workspace">): RunFolder | null {
	const id = context.state.input["folder_id"];
	return id === undefined ? null : new RunFolder(context.workspace.path, id);
}

export const control: ControlFiles = {
	async look(context) {
		const folder = folderOf(context);
		const stat = folder && statOf(folder);
		if (!folder || !stat) return null;
		const asked = objectIn(folder.text(folder.own(NAME)));
		// The file was replaced while it was read, so the wrong content would be marked as taken. The next read gets the new one.
		if (!asked || idOf(stat) !== idOf(statOf(folder))) return null;
		const set = FLAGS.filter((flag) => isSet(asked[flag]));
		const held = typeof context.state.held === "string";
		if (set.length === 0 && (asked["pause"] === true) === held) return null;
		const id = idOf(stat);
		// A message for an earlier run does not count for this one.
		const stale = context.state.input["begins"] === "anew" && Number(stat.mtimeMs) < context.state.createdAt - 1 && untouched(context);
		return { id, message: stale ? { text: `left from before this run, cleared: ${words(asked, held)}` } : messageOf(asked, held) };
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
