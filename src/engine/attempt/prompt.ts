// The prompt of an attempt: the text for its step, role and story, filled with what the run knows and with the notes of earlier agents.

import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { RUN_SCOPE } from "../../core/model.ts";
import { attemptOf, findScope, loopRoleOf, own } from "../../core/query.ts";
import { readBounded } from "../../files/read.ts";
import type { PromptContext } from "../../format.ts";
import { NO_ADDITIONS } from "../../prompt/additions.ts";
import { frameFor, persona, type StepPromptRequest, stepPrompt } from "../../prompt/step-prompt.ts";
import { WorkspaceError } from "../../workspace.ts";
import { leftBranch } from "../workspaces.ts";
import type { LiveAttempt } from "./live-attempt.ts";

export type PromptOf = Pick<LiveAttempt, "parts" | "tools" | "state" | "scope" | "step" | "type" | "role" | "attempt" | "workspace">;

const PROMPT_BYTES = 4 * 1024 * 1024;

export async function promptOf(a: PromptOf, withFiles = true): Promise<string> {
	const raw = loopRoleOf(a.type, a.step, a.role)?.raw;
	return raw === undefined ? stepPrompt(await requestOf(a, withFiles)) : rawPrompt(a, raw);
}

/** The files of the agent that does it, filled in as in its prompt: for agents that pawl does not start. */
export const personaOf = async (a: PromptOf): Promise<string> =>
	own(a.state.definition.roles, a.role)?.files === undefined ? "" : persona(await requestOf(a, true));

async function requestOf(a: PromptOf, withFiles: boolean): Promise<StepPromptRequest> {
	const member = a.type.members?.find((m) => m.role === a.role);
	const inLoop = loopRoleOf(a.type, a.step, a.role);
	const name = member?.prompt ?? inLoop?.prompt ?? a.type.prompt ?? "";
	const { definition } = a.state;
	const { scratch, edits } = a.tools;
	const promptText = definition.prompts[name] ?? "{{step_description}}";
	// For an agent that cannot go on with the session: the whole task, and what was missing in the report of the attempt before.
	const asks = attemptOf(a.step, a.attempt)?.asks;
	const step = asks === undefined ? a.step : { ...a.step, feedback: unread(asks.missing, a.step.feedback) };
	return {
		state: a.state,
		scope: a.scope,
		step,
		promptText,
		frame: frameFor(definition, name),
		role: a.role,
		values: {
			sharedDir: a.parts.sharedDir,
			worktree: a.workspace.path,
			branch: a.workspace.branch,
			baseBranch: a.state.input["base_branch"] ?? leftBranch(a.state, a.scope) ?? a.workspace.branch,
			scratchGlobalFile: scratch.file(RUN_SCOPE),
			scratchStoryFile: scratch.file(a.scope),
			editFile: edits.path(a.scope),
			scratchGlobal: await scratch.read(RUN_SCOPE),
			scratchStory: a.scope === RUN_SCOPE ? "" : await scratch.read(a.scope),
			lintCommand: a.parts.hints.lint,
			testCommand: a.parts.hints.test,
			additions: (await a.parts.promptAdditions?.(additionsFor({ ...a, step }, promptText))) ?? NO_ADDITIONS,
			withFiles,
			...(inLoop?.fields ? { more: inLoop.fields } : {}),
			feedback: step.feedback ?? "",
			steer: a.state.steered.map((text) => `- ${text}`).join("\n"),
			diffs: await diffsOf(a),
		},
	};
}

const unread = (missing: string, feedback: string | null): string =>
	`an attempt before this one did its work, which is still there, but its report could not be read or was not complete: ${missing}${feedback === null ? "" : `\n\nBefore that: ${feedback}`}`;

/** Saved diffs of earlier attempts at this step that were put back, newest last. */
async function diffsOf({ state, scope: id, step, parts }: PromptOf): Promise<string[]> {
	const line = (findScope(state, id)?.steps ?? []).filter((one) => one.origin === step.origin).map((one) => one.id);
	// A first attempt has none, and most attempts are first ones. Once the step has ended well, what was put back before is no longer news.
	if ((line.length <= 1 && step.attempt <= 1) || step.settled === true) return [];
	const scope = id === RUN_SCOPE ? "run" : id;
	const found: string[] = [];
	for (const folder of ["failures", "restarts"])
		for (const file of (await readdir(join(parts.sharedDir, folder)).catch(() => [])).sort())
			if (file.endsWith(".diff") && line.some((one) => file === `${scope}-${one}.diff` || file.startsWith(`${scope}-${one}-`)))
				found.push(join(parts.sharedDir, folder, file));
	return found.slice(-3);
}

/** Verbatim: nothing is added, filled in or trimmed. */
async function rawPrompt({ state }: PromptOf, name: string): Promise<string> {
	const file = state.input[`${name}_file`];
	if (file === undefined) return state.input[name] ?? "";
	const read = readBounded(file, { max: PROMPT_BYTES, oneName: true });
	if ("text" in read) return read.text;
	throw new WorkspaceError(`${file} cannot be given to the agent: ${"missing" in read ? "it is gone" : read.problem}`);
}

const additionsFor = ({ state, scope, step, role, type, parts, workspace }: PromptOf, promptText: string): PromptContext => ({
	state,
	scope,
	step,
	role,
	promptText,
	writes: type.writes !== "none",
	repository: parts.repository,
	workspace,
});
