// Definition + state + what the engine read from files → the exact prompt of one step. Pure: the same run in the same state
// gives the same text. Text from outside is put between tags that it cannot close.
import { readCriteria } from "../core/criterion.ts";
import { withoutMiddle } from "../core/cut.ts";
import type { Definition, StepType } from "../core/definition.ts";
import { RUN_SCOPE, type RunState, type Scope, type Step, type Story } from "../core/model.ts";
import { fieldsFor, findScope, startOfWork } from "../core/query.ts";
import { startedWith } from "../core/started-with.ts";
import { type PromptVariable, renderTemplate, templateNames } from "../core/template.ts";
import { quoted } from "../core/text/quoted.ts";
import { NO_ADDITIONS, type PromptAdditions } from "./additions.ts";
import { boundaries } from "./boundaries.ts";
import { closing } from "./closing.ts";
import { earlierFindings, earlierRounds } from "./earlier-rounds.ts";
import { editingBlock, NO_EDITING } from "./editing.ts";
import { ENDING, ending, splitEnding } from "./ending.ts";
import { keptVariables } from "./kept.ts";
import { opening, taskWithoutShown } from "./opening.ts";
import { agentFiles, runVariables, storyList, surroundings } from "./run-variables.ts";

/** What only the engine knows: absolute paths, and the content of files. */
export interface PromptValues {
	readonly sharedDir: string;
	readonly worktree: string;
	readonly branch: string;
	readonly baseBranch: string;
	readonly scratchGlobalFile: string;
	readonly scratchStoryFile: string;
	/** Where an edit request of this scope goes. */
	readonly editFile: string;
	/** The content; empty if there is no file. */
	readonly scratchGlobal: string;
	readonly scratchStory: string;
	/** The command, or null if none is known. */
	readonly lintCommand: string | null;
	readonly testCommand: string | null;
	/** Why the step runs again: failed checks, conflicts, a review. */
	readonly feedback?: string;
	/** What people said while the run was under way. */
	readonly steer?: string;
	/** More variables. Fields of the run and of the story are there anyway. */
	readonly more?: Readonly<Record<string, string>>;
	/** What the format of the workflow adds. */
	readonly additions?: PromptAdditions;
	/** False: the agent already has its files, where it was set up. */
	readonly withFiles?: boolean;
	/** Diff files of earlier attempts at the step whose work was put back. */
	readonly diffs?: readonly string[];
}

export interface StepPromptRequest {
	readonly state: RunState;
	/** RUN_SCOPE or a story's id. */
	readonly scope: string;
	readonly step: Step;
	readonly promptText: string;
	/** What the prompts of a workflow share; the step type's own text replaces {{instructions}}. */
	readonly frame?: string | undefined;
	/** Who does it, if the step type alone does not say (gates, loops). */
	readonly role?: string;
	readonly values: PromptValues;
}

export const SCRATCH_BYTES = 64 * 1024;

const NO_LINT =
	"no lint command is known for this repository. Look for its own formatter and linter (pre-commit configuration, package scripts, Makefile; in a Python repository with pre-commit: `uv run pre-commit run -a`) and use that; if there is none, say so in your report";
const NO_TEST =
	"no test command is known for this repository. Look for its own way to run tests (`./bin/run_agent_tests.sh <test_path>` where that script exists, package scripts, Makefile) and use that; if there is none, say so in your report";

export function stepPrompt(request: StepPromptRequest): string {
	const values = variables(request);
	const task = splitEnding(request.promptText);
	const around = aroundOf(request);
	const frame = splitEnding(request.frame ?? "{{instructions}}");
	const instructions = renderTemplate(withoutEmpty(task.text, values), values).trim();
	const text = renderTemplate(withoutEmpty(frame.text, { ...values, instructions }), { ...values, instructions }).trim();
	const { steer = "", diffs = [], testCommand, lintCommand, additions } = request.values;
	const about = request.scope === RUN_SCOPE ? "this run" : request.scope;
	const own = [task.ending, frame.ending]
		.map((part) => renderTemplate(withoutEmpty(part, values), values).replace(/^\n+/, "").trimEnd())
		.filter((part) => part !== "");
	const end = own.length > 0 ? `${ENDING}\n\n${own.join("\n\n")}` : ending({ ...around, about, testCommand, lintCommand });
	return `${opening({ ...around, diffs, steer, why: additions?.reason })}${text}${earlierRounds(around)}${closing(around)}${end === "" ? "" : `\n\n${end}`}\n`;
}

/** Leaves out paragraphs that consist of one name without a value. */
const withoutEmpty = (template: string, values: Readonly<Record<string, string>>): string =>
	template.replace(/^\{\{([a-z_]{1,100})\}\}\n\n/gm, (slot, name: string) => ((values[name] ?? "") === "" ? "" : slot));

/** What the parts that every prompt has in common are made of. */
function aroundOf({ state, scope: id, step, role, promptText, frame = "" }: StepPromptRequest) {
	const scope = findScope(state, id) ?? state.root;
	return { state, scope, step, role: role ?? state.definition.types[step.type]?.role, template: `${promptText}${frame}` };
}

/** The files of the role alone, filled in. */
export const persona = (request: StepPromptRequest): string => variables(request)["agent_files"] ?? "";

/** The frame around a prompt: that of the role which uses the prompt. */
export function frameFor(definition: Definition, prompt: string): string | undefined {
	for (const type of Object.values(definition.types)) {
		const users = [type, ...(type.members ?? []), ...Object.values(type.loop?.roles ?? {})];
		const names = users.filter((user) => (user.prompt ?? type.prompt) === prompt).map((user) => definition.roles[user.role ?? ""]?.frame);
		const name = names.find((frame) => frame !== undefined);
		if (name !== undefined) return definition.prompts[name];
	}
	return undefined;
}

function variables(request: StepPromptRequest): Readonly<Record<string, string>> {
	const { state, scope: scopeId, step, role, values, promptText } = request;
	const story = state.stories.find((one) => one.id === scopeId);
	const scope = story?.scope ?? state.root;
	const type = state.definition.types[step.type];
	const { additions = NO_ADDITIONS } = values;
	const fields = lowerCased(fieldsFor(state, scope));
	const own: Record<Exclude<PromptVariable, "instructions">, string> = {
		run_id: state.id,
		request: state.input["request"] ?? state.title,
		story_id: story?.id ?? "run",
		story_title: (story?.title ?? state.title).replace(/\s+/g, " ").trim(),
		story_description: quoted("story", story?.description ?? state.input["request"] ?? ""),
		acceptance_criteria: quoted("criteria", criteria(story), "(no criteria: the story itself counts)"),
		criteria_names: readCriteria(story?.criteria ?? [])
			.map(({ slug }) => `- ${slug}`)
			.join("\n"),
		// Long if there are many, so only made when the prompt uses it.
		story_list: promptText.includes("story_list") ? quoted("stories", withoutMiddle(storyList(state), SCRATCH_BYTES, ""), "(none)") : "",
		step_id: step.id,
		step_type: step.type,
		step_description: quoted("task", taskWithoutShown(state, scope, step)),
		attempt: String(Math.max(1, step.attempt)),
		time_limit: duration(state.options.timeouts[step.type] ?? type?.timeoutMs ?? 0),
		boundaries: boundaries(type),
		editing: type?.edits ? editingBlock({ definition: state.definition, scope, step, ...values }) : NO_EDITING,
		edit_file: values.editFile,
		// Likewise.
		notes: usesNotes(request) ? quoted("notes", notes(state.definition, scope), "(none yet)") : "",
		scratch_global: scratch("global_scratch", values.scratchGlobal, values.scratchGlobalFile),
		scratch_story: scratch("story_scratch", values.scratchStory, values.scratchStoryFile),
		scratch_global_file: values.scratchGlobalFile,
		scratch_story_file: values.scratchStoryFile,
		shared_dir: values.sharedDir,
		lint_command: values.lintCommand === null ? NO_LINT : code(values.lintCommand),
		test_command: values.testCommand === null ? NO_TEST : code(values.testCommand),
		worktree: values.worktree,
		branch: values.branch,
		base_branch: values.baseBranch,
		base_commit: baseCommit(state, scope),
		work_range: workRange(state, scope, values.baseBranch),
		work_so_far: workSoFar(state, scope, values.baseBranch),
		feedback: quoted("feedback", values.feedback ?? "", "(none)"),
		earlier_findings: quoted("earlier_findings", earlierFindings(step), "(none)"),
		...runVariables(state, story),
		agent_files: "",
		surroundings: surroundings(type, { ...values, additions }),
		repo: values.worktree,
		progress: "(no progress file)",
		has_frontend_changes: "false",
		steer: quoted("from_the_user", values.steer ?? "", "(none)"),
	};
	const outside = Object.entries(additions.quoted).map(([name, text]) => [name, quoted(name, text, "")] as const);
	const all = {
		...state.input,
		...keptVariables(state, story),
		...fields,
		...values.more,
		...own,
		...additions.variables,
		...Object.fromEntries(outside),
	};
	return values.withFiles === false ? all : { ...all, agent_files: agentFiles(state, role ?? type?.role ?? "", additions, all) };
}

const baseCommit = (state: RunState, scope: Scope): string => (startOfWork(scope) ?? startedWith(state).startCommit).slice(0, 12);

/** What `git diff` is given to show the work of the scope. Once an engine's own step has put a story onto a newer base, the commit that it started
 * from would also show what others did since. */
function workRange(state: RunState, scope: Scope, baseBranch: string): string {
	const moved = scope.steps.some((one) => one.status === "completed" && isRebase(state.definition.types[one.type]));
	return moved ? `${baseBranch}...HEAD` : baseCommit(state, scope);
}

const isRebase = (type: StepType | undefined): boolean => type?.byEngine === true && type.kind === "agent";

/** Before anybody could write, a range of commits would only send the reader to an empty difference. */
/** Before there is any, where it will start. */
function workSoFar(state: RunState, scope: Scope, base: string): string {
	if (hasWork(state, scope)) return ` All work on the story: \`git diff ${workRange(state, scope, base)}\`.`;
	return ` The work starts from commit ${baseCommit(state, scope)}.`;
}

const hasWork = ({ definition }: RunState, scope: Scope): boolean =>
	scope.steps.some(
		(one) => one.status === "completed" && definition.types[one.type]?.kind === "agent" && definition.types[one.type]?.writes !== "none",
	);

/** Fields that came from report lines are called {{changes}}, whatever the case of the key. */
function lowerCased(fields: Readonly<Record<string, string>>): Record<string, string> {
	return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name.toLowerCase(), value]));
}

function criteria(story: Story | undefined): string {
	return (story?.criteria ?? []).map((one, index) => `${index + 1}. ${one.trim()}`).join("\n");
}

/** In its prompt, its frame, or one of the files of its role. */
function usesNotes({ state: { definition }, step, role, promptText, frame = "" }: StepPromptRequest): boolean {
	const files = Object.values(definition.roles[role ?? definition.types[step.type]?.role ?? ""]?.files ?? {});
	return [promptText, frame, ...files.map((name) => definition.prompts[name] ?? "")].some((text) => templateNames(text).includes("notes"));
}

function notes(definition: Definition, scope: Scope): string {
	return scope.steps
		.filter((one) => one.status === "completed" && !definition.types[one.type]?.internal)
		.map((one) => `### ${one.id} ${one.type}${doubtsOf(one)}\n\n${one.notes?.trim() || "(it left no notes)"}`)
		.join("\n\n");
}

/** What pawl itself saw comes before what the step says about itself. */
const doubtsOf = ({ doubts = [] }: Step): string =>
	doubts.length === 0 ? "" : `\n\n(pawl saw: ${[...new Set(doubts.map(withoutReasons))].join("; ")}.)`;

/** How the fold begins what it says of rejected edits. */
const EDITS_REJECTED = "the edits that it asked for were rejected";

/** Why they were stands in the scratch file. */
const withoutReasons = (doubt: string): string => (doubt.startsWith(EDITS_REJECTED) ? `${EDITS_REJECTED}, see the scratch file` : doubt);

function scratch(tag: string, text: string, file: string): string {
	return quoted(tag, withoutMiddle(text, SCRATCH_BYTES, `; the whole text is in ${file}`), `(the ${tag.replace("_", " ")} is empty)`);
}

function code(command: string): string {
	return command.includes("`") || command.includes("\n") ? quoted("command", command) : `\`${command}\``;
}

function duration(ms: number): string {
	return ms >= 60_000 ? `${Math.round(ms / 60_000)} minutes` : `${Math.ceil(ms / 1000)} seconds`;
}
