// Puts back what a role was not allowed to change: named files from copies made before the iteration, everything else with git.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { textIn } from "../../files/read.ts";
import { clearWay } from "../../files/way.ts";
import { removeTemporaries, writeWholeSync } from "../../files/write.ts";
import type { StepContext } from "../../format.ts";
import type { Changes } from "../../workspace.ts";
import { jsonText, MAX_BYTES, objectIn, RALPH, type RunFolder } from "./folder.ts";
import { mayWrite, RULES, type Rule, type Who } from "./permissions.ts";
import { permitted, readDoc, readSteered } from "./stories.ts";

/** The files when the iteration began. Kept on disk: if the iteration is interrupted, the next one begins by putting them back. */
export interface Before {
	readonly iteration: number;
	readonly role: string;
	/** Path in the checkout → text; null if there was no such file. */
	readonly files: Readonly<Record<string, string | null>>;
	readonly transcripts: readonly string[];
	readonly commit: string;
	/** prd.json when the iteration first began, if it was interrupted since. */
	readonly begun?: string;
}

/** The prd.json against which claims count as new. */
export const claimsFrom = (before: Before, folder: RunFolder): string => before.begun ?? before.files[folder.own("prd.json")] ?? "";

const COPY = "run-folder.json";
/** A worker's promise that everything is done. */
export const RESULT = "output/worker_result.json";
/** The same at the root of the checkout. */
export const ROOT_RESULT = RESULT;
/** By name, so that it also works in a folder that git ignores. */
const NAMED: readonly Rule[] = [...RULES, { file: RESULT, may: ["worker"] }, { file: `/${ROOT_RESULT}`, may: ["worker"] }];

export const pathOf = (folder: RunFolder, file: string): string => (file.startsWith("/") ? file.slice(1) : folder.own(file));

export function remember(context: StepContext, folder: RunFolder, iteration: number, begun?: string): Before {
	const names = [
		...NAMED.map((rule) => pathOf(folder, rule.file)),
		folder.own("prd.json"),
		folder.own("loop_state.json"),
		folder.own("progress.md"),
	];
	const before: Before = {
		iteration,
		role: context.role,
		files: Object.fromEntries(names.map((name) => [name, folder.text(name)])),
		transcripts: folder.names(folder.own("transcripts")),
		commit: context.point?.commit ?? "",
		...(begun === undefined ? {} : { begun }),
	};
	removeTemporaries(join(context.sharedDir, COPY));
	// Also after a loss of power, which may leave the files themselves empty.
	writeWholeSync(join(context.sharedDir, COPY), JSON.stringify(before), { durable: true });
	return before;
}

export function remembered(context: StepContext): Before | null {
	return objectIn(textIn(join(context.sharedDir, COPY), { max: 16 * MAX_BYTES })) as Before | null;
}

/** Whether an iteration of this run was begun before, whatever its result: the file stays when its text is removed. */
export const hasBegun = (context: StepContext): boolean => existsSync(join(context.sharedDir, COPY));

export const forget = (context: StepContext): void => writeWholeSync(join(context.sharedDir, COPY), "");

/** Said of a path that was put back. */
export const notIts = (who: Who): string => `${who === "steering" ? who : `a ${who}`} may not change it`;

export interface PutBack {
	readonly paths: readonly string[];
	/** What to say about it. */
	readonly told: readonly string[];
	/** Why the whole of a new list of stories was put back; undefined if it was not. */
	readonly unusable?: string;
	/** Story → the fields that say what it has to meet, and that were changed. */
	readonly redefined?: ReadonlyMap<string, readonly string[]>;
}

/** Puts back what this role may not change. */
export function putBackFiles(context: StepContext, folder: RunFolder, before: Before, who: Who): PutBack {
	const paths: string[] = [];
	const told: string[] = [];
	for (const { file, may } of NAMED) {
		const path = pathOf(folder, file);
		const was = before.files[path] ?? null;
		if (may.includes(who) || folder.text(path) === was) continue;
		restore(context, folder, before, path, was);
		paths.push(path);
		told.push(`${path} (${notIts(who)})`);
	}
	const prd = putBackPrd(context, folder, before, who);
	return { ...prd, paths: [...paths, ...prd.paths], told: [...told, ...prd.told] };
}

export const NOTHING: PutBack = { paths: [], told: [] };

/** Restores a prd.json that cannot be read any more. */
export function mendPrd(context: StepContext, folder: RunFolder, before: Before): string[] {
	const path = folder.own("prd.json");
	return readDoc(folder.text(path) ?? "").ok ? [] : [...putBackPrd(context, folder, before, "worker").told];
}

function putBackPrd(context: StepContext, folder: RunFolder, before: Before, who: Who): PutBack {
	const path = folder.own("prd.json");
	const was = before.files[path] ?? "";
	const now = folder.text(path);
	if (now === was) return NOTHING;
	const old = readDoc(was);
	if (!old.ok) return NOTHING;
	const read =
		now === null
			? ({ ok: false, problems: ["it is gone, or no regular file"] } as const)
			: who === "steering"
				? readSteered(old.doc, now)
				: readDoc(now);
	if (!read.ok) {
		restore(context, folder, before, path, was);
		const why = read.problems.slice(0, 10).join("; ");
		const kept = now === null ? "" : `, and what you wrote is in \`${copyOf(context, before, path)}\``;
		return {
			paths: [path],
			told: [`${path} could not be read any more (${why}): the last good copy is back`],
			unusable: `${path} could not be used as it was left: ${why}. The one from before is back${kept}`,
		};
	}
	const { doc, refused, redefined } = permitted(who, old.doc, read.doc);
	if (doc === read.doc) return NOTHING;
	keepCopy(context, before, path, now);
	folder.write(path, doc.text);
	const told = [`${path}: ${[...new Set(refused)].join(", ") || "what is not its own"} (${notIts(who)})`];
	return { paths: [path], told, ...(redefined ? { redefined } : {}) };
}

function restore(context: StepContext, folder: RunFolder, before: Before, path: string, text: string | null): void {
	keepCopy(context, before, path, folder.text(path));
	if (text === null) folder.remove(path);
	else folder.write(path, text);
}

/** Keeps a copy of what is put back, as it may have been a person who changed it. */
function keepCopy(context: StepContext, before: Before, path: string, text: string | null): void {
	if (text === null) return;
	const file = copyOf(context, before, path);
	clearWay(context.sharedDir, file);
	writeWholeSync(file, text);
}

const copyOf = (context: StepContext, before: Before, path: string): string =>
	join(context.sharedDir, "put_back", String(before.iteration), path);

/** Commits that were there when the iteration began are not its own: if it rewrote them, all that it did is put back, and kept as a diff. Returns
 * what to say of it, or null. */
export async function undoRewrite(context: StepContext, folder: RunFolder, before: Before, { refs }: Changes): Promise<string | null> {
	const { point, workspace } = context;
	if (point === null) return null;
	const own = `branch ${workspace.branch}`;
	if (!refs.some(({ by, change, what }) => by === "session" && change === "moved" && what === own)) return null;
	const kept = join(context.sharedDir, "put_back", String(before.iteration));
	const diff = await workspace.saveDiff(point, join(kept, "rewritten.diff"));
	if (diff !== null) leaveOutOurs(folder, diff);
	await workspace.rollback(point, join(kept, "files"));
	// pawl wrote some of them after the point.
	for (const [path, text] of Object.entries(before.files)) if (text !== null && folder.text(path) !== text) folder.write(path, text);
	return `all that this iteration did, because it rewrote commits of ${own} that were there before it${diff === null ? "" : `; it is kept as ${diff}`}`;
}

/** pawl goes on writing its own files, so that a diff which has them could not be applied. */
function leaveOutOurs(folder: RunFolder, file: string): void {
	const text = textIn(file, { max: 16 * MAX_BYTES });
	if (text === null) return;
	const ours = OURS.map((name) => ` b/${folder.own(name)}`);
	const parts = text.split(/^(?=diff --git )/m);
	const kept = parts.filter((part) => !ours.some((end) => part.startsWith("diff --git ") && part.split("\n", 1)[0]?.endsWith(end)));
	if (kept.length < parts.length) writeWholeSync(file, kept.join(""));
}

/** Puts back paths of the tree that this role may not change, with git, and changes to the repository itself: the paths, and what to say. */
export async function putBackTree(context: StepContext, folder: RunFolder, before: Before, who: Who, changes: Changes): Promise<PutBack> {
	if (context.point === null) return NOTHING;
	const there = new Set(before.transcripts.map((name) => `transcripts/${name}`));
	const named = new Set([...Object.keys(before.files), ...OURS.map((name) => folder.own(name))]);
	const wrong = changes.paths.filter((path) => {
		if (named.has(path)) return false;
		const own = `${folder.own()}/`;
		if (path.startsWith(own)) return !mayWrite(who, path.slice(own.length), there.has(path.slice(own.length)));
		// Folders of other runs are not looked at here.
		return !path.startsWith(`${RALPH}/`) && !mayWrite(who, null, true);
	});
	if (wrong.length > 0) {
		await context.workspace.saveDiff(context.point, join(context.sharedDir, "put_back", String(before.iteration), "changes.diff"));
		await context.workspace.revert(wrong, context.point);
	}
	const told = [
		...wrong.slice(0, 20).map((path) => `${path} (${notIts(who)})`),
		...(wrong.length > 20 ? [`${wrong.length - 20} more`] : []),
		...changes.tampered.map((what) => `${what}, of the repository itself`),
	];
	return { paths: wrong, told };
}

/** Files that follow the journal are restored by the code that writes them. */
const OURS = ["run.json", "orchestration.json", "events.ndjson", "control.json", "progress.md", "loop_state.json"];

/** loop_state.json: pawl's, except for the keys by which a reviewer asks for something. */
export function loopStateWords(folder: RunFolder, before: Before, who: Who): { asked: boolean; reason: string; touched: boolean } {
	const was = objectIn(before.files[folder.own("loop_state.json")] ?? null) ?? {};
	const text = folder.text(folder.own("loop_state.json"));
	const now = objectIn(text) ?? {};
	const { steering_requested: asked, steering_reason: reason, steering_requested_by: ____, ...rest } = now;
	const { steering_requested: _, steering_reason: __, steering_requested_by: ___, ...own } = was;
	const same = who === "reviewer" ? jsonText(rest) === jsonText(own) : text === (before.files[folder.own("loop_state.json")] ?? null);
	const may = who === "reviewer" && asked === true;
	return { asked: may, reason: may && typeof reason === "string" ? reason : "", touched: !same };
}
