// What a role may not have changed is put back: named files from a copy that was made before the iteration, everything else by git.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { textIn } from "../../files/read.ts";
import { clearWay } from "../../files/way.ts";
import { writeWholeSync } from "../../files/write.ts";
import type { StepContext } from "../../format.ts";
import { jsonText, MAX_BYTES, objectIn, RALPH, type RunFolder } from "./folder.ts";
import { mayWrite, RULES, type Rule, type Who } from "./permissions.ts";
import { permitted, readDoc } from "./stories.ts";

/** How things were when the iteration began. Kept on disk: where the iteration is cut off, the next one begins by putting back. */
export interface Before {
	readonly iteration: number;
	readonly role: string;
	/** Path in the checkout → text; null where there was no such file. */
	readonly files: Readonly<Record<string, string | null>>;
	readonly transcripts: readonly string[];
	readonly commit: string;
	/** prd.json as it was when the iteration was begun for the first time, if it was cut off since. */
	readonly begun?: string;
}

/** The prd.json since which claims count as new. */
export const claimsFrom = (before: Before, folder: RunFolder): string => before.begun ?? before.files[folder.own("prd.json")] ?? "";

const COPY = "run-folder.json";
/** A worker's word that all is done. */
export const RESULT = "output/worker_result.json";
/** By name, so that it is looked at in a folder that git ignores, too. */
const NAMED: readonly Rule[] = [...RULES, { file: RESULT, may: ["worker"] }];

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
	writeWholeSync(join(context.sharedDir, COPY), JSON.stringify(before));
	return before;
}

export function remembered(context: StepContext): Before | null {
	return objectIn(textIn(join(context.sharedDir, COPY), { max: 16 * MAX_BYTES })) as Before | null;
}

/** An iteration of this run was begun before, whatever became of it: the file stays when its text goes. */
export const hasBegun = (context: StepContext): boolean => existsSync(join(context.sharedDir, COPY));

export const forget = (context: StepContext): void => writeWholeSync(join(context.sharedDir, COPY), "");

/** Puts back what this role may not change; says what, in words. */
export function putBackFiles(context: StepContext, folder: RunFolder, before: Before, who: Who): string[] {
	const back: string[] = [];
	for (const { file, may } of NAMED) {
		const path = pathOf(folder, file);
		const was = before.files[path] ?? null;
		if (may.includes(who) || folder.text(path) === was) continue;
		restore(context, folder, before, path, was);
		back.push(`${path} (a ${who} may not change it)`);
	}
	return [...back, ...putBackPrd(context, folder, before, who)];
}

/** A prd.json that cannot be read any more is the one that it was. */
export function mendPrd(context: StepContext, folder: RunFolder, before: Before): string[] {
	const path = folder.own("prd.json");
	return readDoc(folder.text(path) ?? "").ok ? [] : putBackPrd(context, folder, before, "worker");
}

function putBackPrd(context: StepContext, folder: RunFolder, before: Before, who: Who): string[] {
	const path = folder.own("prd.json");
	const was = before.files[path] ?? "";
	const now = folder.text(path);
	if (now === was) return [];
	const old = readDoc(was);
	if (!old.ok) return [];
	const read = now === null ? ({ ok: false, problems: ["it is gone, or no regular file"] } as const) : readDoc(now);
	if (!read.ok) {
		restore(context, folder, before, path, was);
		return [`${path} could not be read any more (${read.problems[0]}): the last good copy is back`];
	}
	const { doc, refused } = permitted(who, old.doc, read.doc);
	if (doc === read.doc) return [];
	keepCopy(context, before, path, now);
	folder.write(path, doc.text);
	return [`${path}: ${[...new Set(refused)].join(", ") || "what is not its own"} (a ${who} may not change it)`];
}

function restore(context: StepContext, folder: RunFolder, before: Before, path: string, text: string | null): void {
	keepCopy(context, before, path, folder.text(path));
	if (text === null) folder.remove(path);
	else folder.write(path, text);
}

/** It may have been a person: nothing that is put back is lost. */
function keepCopy(context: StepContext, before: Before, path: string, text: string | null): void {
	if (text === null) return;
	const file = join(context.sharedDir, "put_back", String(before.iteration), path);
	clearWay(context.sharedDir, file);
	writeWholeSync(file, text);
}

/** Paths of the tree that this role may not have touched, by git; what they were is back. So is what was done to the repository itself. */
export async function putBackTree(context: StepContext, folder: RunFolder, before: Before, who: Who): Promise<string[]> {
	if (context.point === null) return [];
	const changes = await context.workspace.changes(context.point);
	const there = new Set(before.transcripts.map((name) => `transcripts/${name}`));
	const named = new Set([...Object.keys(before.files), ...OURS.map((name) => folder.own(name))]);
	const wrong = changes.paths.filter((path) => {
		if (named.has(path)) return false;
		const own = `${folder.own()}/`;
		if (path.startsWith(own)) return !mayWrite(who, path.slice(own.length), there.has(path.slice(own.length)));
		// Other runs' folders are nobody's business here.
		return !path.startsWith(`${RALPH}/`) && !mayWrite(who, null, true);
	});
	if (wrong.length > 0) {
		await context.workspace.saveDiff(context.point, join(context.sharedDir, "put_back", String(before.iteration), "changes.diff"));
		await context.workspace.revert(wrong, context.point);
	}
	return [
		...wrong.slice(0, 20).map((path) => `${path} (a ${who} may not change it)`),
		...(wrong.length > 20 ? [`${wrong.length - 20} more`] : []),
		...changes.tampered.map((what) => `${what}, of the repository itself`),
	];
}

/** What follows the journal is put back by who writes it. */
const OURS = ["run.json", "orchestration.json", "events.ndjson", "control.json", "progress.md", "loop_state.json"];

/** loop_state.json: ours but for what a reviewer may ask by it. */
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
