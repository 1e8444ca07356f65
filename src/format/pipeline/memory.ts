// What outlasts a session: the progress log of the run, and an agent's notes in its own folder. Agents write these files, so they are
// read with care and cut to size.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { howToCheck } from "../../core/check/how-to-check.ts";
import { withoutMiddle } from "../../core/cut.ts";
import { pullRequestFile, pullRequestUrl } from "../../core/mark.ts";
import { RUN_SCOPE, type RunState } from "../../core/model.ts";
import { fieldsFor, findScope, startOfWork } from "../../core/query.ts";
import { startedWith } from "../../core/started-with.ts";
import { textIn } from "../../files/read.ts";
import type { PromptContext } from "../../format.ts";
import type { PromptAdditions } from "../../prompt/additions.ts";
import { agentHome } from "./agent-home.ts";
import { pipelineOf } from "./pipeline.ts";
import { saidBefore } from "./said-before.ts";
import { askedBefore, timesLeft } from "./second-look.ts";
import { type WorkRange, workRange } from "./work-range.ts";

const DEPENDENCIES =
	'Several agents work on the stories side by side. Give every story of STORIES_JSON a list "depends_on" with the ids of the stories that it builds on; an empty list says that it can be done at the same time as the others.';
const NO_TYPES = 'Where the project has no type check, "Typecheck passes" means that its build or its linter does.';
const FILE_BYTES = 4 * 1024 * 1024;
const SHOWN_BYTES = 64 * 1024;
const FRONTEND = /\.(?:tsx|jsx|vue|svelte|astro|html?|css|scss|sass|less)$|(?:^|\/)(?:frontend|public|static|templates)\//i;

export async function promptAdditions(of: PromptContext): Promise<PromptAdditions | null> {
	const { state, scope, role, writes, repository, promptText, dry = false } = of;
	const { definition } = state;
	if (pipelineOf(definition) === null) return null;
	const log = state.input["progress_file"];
	const home = definition.roles[role]?.files === undefined ? null : agentHome(repository.root, definition.name, role);
	if (home !== null && writes && !dry) makeHome(home);
	const work = await workRange(of, sentBackText(of) !== "");
	const began = work.from === workFrom(state, scope);
	return {
		files: [
			{ tag: "codebase_knowledge", text: home === null ? "" : section(shown(join(home, "AGENTS.md")), "Codebase Knowledge") },
			{ tag: "MEMORY.md", text: home === null ? "" : shown(join(home, "MEMORY.md")) },
		],
		surroundings: [
			...workToLookAt(of, work),
			...timesLeft(of),
			...(asksForDependencies(of) ? [DEPENDENCIES] : []),
			...(log !== undefined && writes ? [`The progress log of this run (progress.txt): ${log}`] : []),
			...(home !== null && writes ? [`Your own folder, which lasts beyond this run (AGENTS.md, MEMORY.md): ${home}`] : []),
		],
		variables: {
			...unsaid(state, scope),
			...saidBefore(of),
			...commands(state),
			how_to_check: toCheck(of),
			...(began || work.from === undefined ? {} : { base_commit: work.from }),
			...(opensRequest(state) ? { pr: pullRequestUrl(state) ?? notOpened(state) } : {}),
			progress:
				log === undefined
					? "(no progress file)"
					: [shown(log), ownLog(of)].filter((text) => text !== "").join("\n\n") || "(no progress yet)",
			...(/has_frontend_changes|in_browser/.test(promptText) ? frontend(await touchesFrontend(of)) : {}),
		},
		quoted: {
			...sentBack(of, work),
			...looks(of),
			feedback: findScope(state, scope)?.fields["feedback"] ?? state.root.fields["feedback"] ?? "",
		},
	};
}

/** What a step was asked for and did not say: an empty place under a heading would send its reader to look for it. */
function unsaid(state: RunState, scope: string): Record<string, string> {
	const fields = fieldsFor(state, findScope(state, scope) ?? state.root);
	const known = new Set(Object.entries(fields).flatMap(([name, text]) => (text.trim() === "" ? [] : [name.toLowerCase()])));
	const done = [...state.root.steps, ...(scope === RUN_SCOPE ? [] : (findScope(state, scope)?.steps ?? []))].filter(
		({ status }) => status === "completed",
	);
	const keys = done.flatMap(({ type }) => {
		const { prompt = "", report } = state.definition.types[type] ?? {};
		// Of a judge's two answers only one is given: a step that is completed has said that all is well, or a person has let it pass.
		const judges = /^[ \t]*STATUS:[ \t]*retry\b/im.test(state.definition.prompts[prompt] ?? "");
		return (judges ? report?.wants?.["done"] : report?.keys) ?? [];
	});
	return Object.fromEntries(keys.map((key) => [key.toLowerCase(), "(not said)"] as const).filter(([name]) => !known.has(name)));
}

/** What the agents of a setup step found out counts; otherwise the checks that the run was started with. */
function commands(state: RunState): Record<string, string> {
	const { checks } = startedWith(state);
	const said = (name: string): string => state.root.fields[name] ?? state.root.fields[name.toUpperCase()] ?? "";
	const red = state.input["baseline"];
	return {
		test_cmd: said("test_cmd") || checks["test"] || "",
		build_cmd: said("build_cmd") || checks["build"] || "",
		baseline: red ?? (Object.keys(checks).length === 0 ? "no checks are known" : "all checks passed before the work began"),
	};
}

const sentBackText = ({ state, scope }: Pick<PromptContext, "state" | "scope">): string =>
	(findScope(state, scope)?.fields["verify_feedback"] ?? state.root.fields["verify_feedback"] ?? "").trim();

/** What sent the work back, with what to do about it; empty the first time, so that no prompt has an empty heading. */
function sentBack({ state, scope }: PromptContext, { from, empty }: WorkRange): { readonly sent_back: string } {
	const text = sentBackText({ state, scope });
	const failing = findScope(state, scope)?.failing?.some(({ since }) => since === undefined) ?? false;
	const where = from === undefined ? "" : ` (\`git diff ${from}..HEAD\`)`;
	const so = empty ? "Nothing is committed so far." : `What you did so far is committed${where}.`;
	const what = `The verifier sent this back to you. ${so} Deal with every point, and say how in CHANGES; where a point is wrong, say why there:`;
	if (text !== "" && failing)
		return {
			sent_back: `The work below is committed${where}. What fails now comes first: mend it. Before that the verifier had sent the points below back to you; it has not looked since, so they still have to hold:\n\n${text}`,
		};
	if (text !== "") return { sent_back: `${what}\n\n${text}` };
	const done = `The work below is done and committed${where}. Only what fails now is left: mend that and change nothing else. Let the subject of this commit say what it mends, also where one is prescribed below.`;
	return { sent_back: failing ? done : "" };
}

/** The frame shows a judge its earlier verdict, unless the step's own input does. */
function looks(of: PromptContext): { readonly asked_before: string; readonly looked_before: string } {
	const text = askedBefore(of);
	return { asked_before: text, looked_before: of.promptText.includes("asked_before") ? "" : text };
}

function toCheck({ state, scope }: PromptContext): string {
	const { build_cmd = "", test_cmd = "" } = commands(state);
	const { build: _, test: __, ...others } = startedWith(state).checks;
	const known = howToCheck({ build: build_cmd, ...others, test: test_cmd });
	if (build_cmd + test_cmd === "" && Object.keys(others).length === 0) return known;
	const asks = state.stories.find(({ id }) => id === scope)?.criteria.some((one) => /typecheck passes/i.test(one)) ?? false;
	return [known, ...(asks && !Object.keys(others).some((name) => /type/i.test(name)) ? [NO_TYPES] : [])].join(" ");
}

/** Those who judge are told which commits they look at, once there is something to look at. */
function workToLookAt({ state, scope, writes, promptText }: PromptContext, { from }: WorkRange): string[] {
	const says = promptText.includes("base_commit") && /secret/i.test(promptText);
	if (writes || says || !hasWork(state) || !from) return [];
	const whose = scope === RUN_SCOPE ? "this run" : scope;
	return [
		`The work of ${whose}: \`git log ${from}..HEAD\`, \`git diff ${from}..HEAD\`. Look there also for secrets that do not belong in a repository (keys, passwords, tokens).`,
	];
}

/** The commit that the work of a story, or of the run, began with. */
function workFrom(state: RunState, scope: string): string | undefined {
	const story = scope === RUN_SCOPE ? undefined : findScope(state, scope);
	return (story === undefined ? startedWith(state).startCommit : startOfWork(story))?.slice(0, 12);
}

const hasWork = (state: RunState): boolean =>
	state.stories.some(({ changed }) => changed) ||
	state.root.steps.some(({ status, type }) => status === "completed" && (state.definition.types[type]?.writes ?? "none") !== "none");

const opensRequest = ({ definition }: RunState): boolean =>
	Object.values(definition.types).some((type) => type.action === "forge.pull-request");

const notOpened = (state: RunState): string => {
	const file = pullRequestFile(state);
	return file === null ? "(not opened yet)" : `(not opened; its text is in ${file})`;
};

/** Workflows of others tell their agents to keep notes in this file of the working folder. It is never committed. */
function ownLog({ state, workspace }: PromptContext): string {
	return workspace.path === undefined ? "" : shown(join(workspace.path, `progress-${state.id}.txt`));
}

/** Stories run side by side only if the list says what each of them needs. */
const asksForDependencies = ({ state, promptText }: PromptContext): boolean =>
	state.options.slots.length > 1 && promptText.includes("STORIES_JSON");

/** If it cannot be made, the agent finds out when it writes there. */
function makeHome(folder: string): void {
	try {
		mkdirSync(folder, { recursive: true });
	} catch {}
}

function shown(file: string): string {
	const text = textIn(file, { max: FILE_BYTES, oneName: true });
	return text === null ? "" : withoutMiddle(text.trim(), SHOWN_BYTES, `; the whole text is in ${file}`);
}

const frontend = (touched: boolean): Record<string, string> => ({
	has_frontend_changes: String(touched),
	in_browser: touched ? "What people see in a browser was changed: look at it there, if you can." : "",
});

/** Whether the work so far touches a user interface in the browser. */
async function touchesFrontend({ state, repository, workspace }: PromptContext): Promise<boolean> {
	const { startCommit } = startedWith(state);
	const paths = await repository.changedPaths(startCommit, workspace.branch).catch(() => []);
	return paths.some((path) => FRONTEND.test(path));
}

/** The text under a heading of the second level. */
export function section(text: string, heading: string): string {
	const lines = text.split("\n");
	const from = lines.findIndex(
		(line) =>
			line
				.replace(/^##\s+/, "")
				.trim()
				.toLowerCase() === heading.toLowerCase() && line.startsWith("## "),
	);
	if (from < 0) return "";
	const rest = lines.slice(from + 1);
	const to = rest.findIndex((line) => /^##? /.test(line));
	return (to < 0 ? rest : rest.slice(0, to)).join("\n").trim();
}
