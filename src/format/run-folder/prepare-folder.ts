// Makes a new run folder: from templates, which an agent may then fill in.
import { mkdirSync, readFileSync } from "node:fs";
import { renderTemplate } from "../../core/template.ts";
import type { Evidence, Keeper } from "../../format.ts";
import { packagePath } from "../../package-root.ts";
import type { Reader } from "../../reader.ts";
import { folderOf, NOTHING_ASKED } from "./control.ts";
import { jsonText, RALPH, RunFolder, runIdProblem } from "./folder.ts";
import { promiseIn } from "./new-run.ts";
import { PLANE, writePlane } from "./permissions.ts";
import { readiness } from "./readiness.ts";
import { DEFAULT_SCHEME } from "./settings.ts";

export const PROMISE = "ALL STORIES PASS";

const TEMPLATES = ["PRD.md", "PROMPT.md", "progress.md", "SUMMARY.md"];

export interface NewFolder {
	readonly request: string | undefined;
	readonly promise: string;
	readonly maxIterations: number;
	readonly at: number;
}

/** The files that were written, or why none was. Existing files are never overwritten. */
export function makeFolder(folder: RunFolder, wanted: NewFolder): { readonly written: readonly string[] } | { readonly problem: string } {
	if (folder.names(folder.own()).length > 0) return { problem: `${folder.own()} is there already: choose another id, or remove it first` };
	const title = wanted.request?.trim().split("\n", 1)[0]?.slice(0, 100) || folder.id;
	const values = { run_id: folder.id, title, request: wanted.request?.trim() || "TODO: a few sentences.", promise: wanted.promise };
	const files: [string, string][] = [
		...TEMPLATES.map((name): [string, string] => [
			name,
			renderTemplate(readFileSync(packagePath("workflows", "ralph", "templates", name), "utf8"), values),
		]),
		["prd.json", jsonText(firstPrd(folder.id, title))],
		...controlFiles(folder.id, wanted),
	];
	for (const [name, text] of files) folder.write(folder.own(name), text);
	mkdirSync(folder.path(folder.own("transcripts")), { recursive: true });
	writePlane(folder);
	return { written: [...files.map(([name]) => folder.own(name)), PLANE] };
}

const firstPrd = (id: string, title: string) => ({
	run_id: id,
	title,
	global_verification: [],
	loop_settings: {},
	stories: [
		{
			id: "S1",
			title: "TODO: the first small step",
			size: "XS",
			passes: false,
			acceptance_criteria: ["TODO: `a command` exits 0"],
			verification_commands: [],
			depends_on: [],
			notes: "",
		},
	],
});

function controlFiles(id: string, { maxIterations, at }: NewFolder): [string, string][] {
	const now = new Date(at).toISOString();
	return [
		[
			"run.json",
			jsonText({
				run_id: id,
				status: "pending",
				iteration: 0,
				max_iterations: maxIterations,
				created_at: now,
				updated_at: now,
				error: null,
			}),
		],
		["control.json", jsonText(NOTHING_ASKED)],
		["orchestration.json", jsonText({ scheme: DEFAULT_SCHEME, cursor: 0, queue: [], final_review_pending: false })],
		["events.ndjson", ""],
	];
}

/** `RUN_ID REQUEST`: the folder exists, and the request is to be turned into stories. */
export const runFolderRequest: Reader = async ({ text = "", tree }) => {
	const [, id = "", request = ""] = /^\s*(\S+)\s+([\s\S]+)$/.exec(text) ?? [];
	const problem = runIdProblem(id);
	if (problem !== null) return { ok: false, problems: [problem] };
	const folder = new RunFolder(tree, id);
	const promise = promiseIn(folder.text(folder.own("PROMPT.md")) ?? "") ?? PROMISE;
	return {
		ok: true,
		title: `${id}: ${request.trim().split("\n", 1)[0]?.slice(0, 60) ?? ""}`,
		stories: [],
		input: { request, folder_id: id, folder_name: folder.own() },
		fields: { promise },
		own: [RALPH],
	};
};

/** Whether the folder is ready now; if not, the agent is told what is missing. */
export const runFolderReady: Evidence = async (context) => {
	const folder = folderOf(context);
	if (folder === null) return [];
	const { missing, weak } = readiness(folder);
	// A person may begin with weak stories, and with lines to fill in later. Whoever is called to do it well is sent back once.
	const lacks = missing.length > 0 || (weak.length > 0 && context.attempt === 1);
	return [
		{
			name: "run-folder-ready",
			command: `pawl ralph check ${folder.id}`,
			exitCode: lacks ? 1 : 0,
			output: lacks ? [...missing, ...weak].join("\n") : "",
		},
	];
};

/** The agent may write the folder only, and nothing is committed for it. */
export const runFolderPrep: Keeper = {
	async after(context) {
		const folder = folderOf(context);
		if (folder === null || context.point === null) return { commit: false };
		const { paths } = await context.workspace.changes(context.point);
		const outside = paths.filter((path) => !path.startsWith(`${folder.own()}/`));
		if (outside.length > 0) await context.workspace.revert(outside, context.point);
		return { commit: false, remarks: outside.slice(0, 20).map((path) => `put back: ${path} (it is not of the run folder)`) };
	},
};
