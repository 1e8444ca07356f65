// One attempt of an agent: prompt, process, then what the engine itself saw of it. The agent's word is a report, never
// evidence: what changed, what the checks say and where it may write is looked at here.
import { join } from "node:path";
import { type AgentOutcome, placeEnv } from "../agent.ts";
import type { ReportGrammar, StepType } from "../core/definition.ts";
import type { CheckResult, EditRequest, Outcome } from "../core/input.ts";
import { RUN_SCOPE, type RunState, type Step, type Usage } from "../core/model.ts";
import { findScope, grammarOf, loopRoleOf, own, workspaceOf } from "../core/query.ts";
import { type Report, readReport } from "../core/report.ts";
import { type GivenReport, readGiven } from "../core/report-given.ts";
import type { AgentAnswer, Keeper } from "../format.ts";
import { frameFor, stepPrompt } from "../prompt/step-prompt.ts";
import { type Point, type Workspace, WorkspaceError } from "../workspace.ts";
import type { AgentChoice } from "./agent-choice.ts";
import { boundaryViolation } from "./boundary.ts";
import type { EditFiles } from "./edit-file.ts";
import { type Inbox, openInbox } from "./inbox.ts";
import { memoryOf, progressFileOf } from "./memory.ts";
import type { EngineParts } from "./parts.ts";
import { placeOf } from "./place.ts";
import { readUntrusted } from "./read-untrusted.ts";
import { deniedTo, refusals } from "./refusals.ts";
import type { Seat } from "./round.ts";
import type { Scratch } from "./scratch.ts";
import { leftBranch } from "./workspaces.ts";

export interface AttemptContext {
	readonly parts: EngineParts;
	readonly state: RunState;
	readonly scope: string;
	readonly step: Step;
	readonly type: StepType;
	readonly attempt: number;
	readonly role: string;
	readonly workspace: Workspace;
	readonly point: Point;
	readonly mark: string;
	readonly scratch: Scratch;
	readonly edits: EditFiles;
	readonly choice: AgentChoice;
	readonly signal: AbortSignal;
	/** A member of a gate: its place among the others. */
	readonly seat?: Seat;
}

/** What a prompt is made of; no session is needed for it. */
export type PromptContext = Pick<
	AttemptContext,
	"parts" | "state" | "scope" | "step" | "type" | "role" | "workspace" | "scratch" | "edits"
>;

export const NOTHING: Omit<Outcome, "signal"> = {
	error: null,
	notes: null,
	fields: {},
	findings: [],
	stories: null,
	usage: { costUsd: null, inputTokens: null, outputTokens: null },
	edits: null,
	checks: [],
	changed: false,
	retryAt: null,
};

/** null: it was cancelled. */
export async function runAgentAttempt(c: AttemptContext): Promise<Outcome | null> {
	await keeperOf(c)?.before?.(placeOf(c, attemptEnv(c)));
	const prompt = await buildPrompt(c);
	await c.seat?.ready();
	const { said, given } = await withInbox(c, prompt);
	const judge = () => outcomeOf(c, prompt, said, given);
	return c.seat ? c.seat.inTurn(judge) : judge();
}

/** What an agent said, and what the engine itself sees of its work. null: it was cancelled. */
export async function outcomeOf(
	c: AttemptContext,
	prompt: string,
	said: AgentOutcome,
	given: GivenReport | null = null,
): Promise<Outcome | null> {
	if (said.result === "cancelled" || c.signal.aborted) return null;
	const read = said.result === "ok" ? readSaid(c, prompt, said, given) : null;
	const word: AgentAnswer = {
		result: said.result,
		text: said.text,
		signal: read?.signal ?? said.result,
		fields: read?.fields ?? {},
		stories: read?.stories ?? null,
	};
	const amended = (await keeperOf(c)?.after?.(placeOf(c, attemptEnv(c)), word)) ?? {};
	const outcome = await judged(c, said, read, word, amended.commit ?? true);
	if (outcome === null) return null;
	const { fields, checks = [], commit: _, ...rest } = amended;
	// What the engine saw in the tree weighs more than what a keeper saw in its files.
	const { signal, error } = outcome.signal === "boundary_violation" ? outcome : { ...outcome, ...rest };
	return { ...outcome, ...rest, signal, error, fields: { ...outcome.fields, ...fields }, checks: [...outcome.checks, ...checks] };
}

async function judged(
	c: AttemptContext,
	said: AgentOutcome,
	read: Report | null,
	word: AgentAnswer,
	commits: boolean,
): Promise<Outcome | null> {
	const changes = await c.workspace.changes(c.point);
	const edits = c.scope === RUN_SCOPE ? null : await c.edits.read(c.scope);
	// Of those that share a tree, also one that failed is put back here: where it only advises, no route does it.
	const violation = read === null && c.type.kind !== "gate" ? null : await boundaryViolation({ ...c, env: attemptEnv(c) }, changes);
	if (read === null)
		return { ...NOTHING, signal: said.result, error: said.error ?? said.result, usage: said.usage, edits, retryAt: said.retryAt };
	if (violation !== null) return { ...NOTHING, signal: "boundary_violation", error: violation, usage: said.usage, edits };
	if (changes.tampered.length > 0)
		c.parts.onWarning?.(`${c.step.id} changed the repository itself, which was put back: ${changes.tampered.join(", ")}`);
	if (changes.uncommitted && commits) await c.workspace.commitAll(messageOf(c.state, c.scope, c.step, c.type));
	const checks = asksForRestart(edits) ? [] : await gather(c, word);
	if (c.signal.aborted) return null;
	return {
		...NOTHING,
		signal: read.signal,
		error: read.signal === "unreadable" ? (read.problem ?? "the report cannot be read") : null,
		notes: read.notes,
		fields: read.fields,
		findings: read.findings,
		stories: read.stories,
		...(read.kept === undefined ? {} : { kept: read.kept }),
		usage: said.usage,
		session: said.sessionId,
		edits,
		checks,
		changed: changes.paths.length > 0,
	};
}

function readSaid(c: AttemptContext, prompt: string, said: AgentOutcome, given: GivenReport | null): Report {
	const grammar = grammarOf(c.state.definition, c.step, c.role);
	const read = fromInbox(c, grammar, given) ?? readReport(grammar, said.text, c.state.root.fields, prompt);
	if (read.problem !== null) c.parts.onWarning?.(`${c.step.id} (${c.type.name}): ${read.problem}`);
	return read;
}

function keeperOf(c: AttemptContext): Keeper | undefined {
	const { keepers = {} } = c.parts;
	const name = c.type.keeper ?? "";
	return Object.hasOwn(keepers, name) ? keepers[name] : undefined;
}

/** Where commits stay as they are, they are named as their readers expect; elsewhere they are folded into one. */
export function messageOf(state: RunState, scope: string, step: Step, type: StepType): string {
	const story = state.stories.find((s) => s.id === scope);
	const turn = step.running.find((a) => a.letter !== undefined);
	if (turn) return `pawl: what ${turn.role} left uncommitted in iteration ${step.iteration + 1}`;
	if (workspaceOf(state) !== "branch") return `pawl: ${scope} ${step.id} (${type.name})`;
	return story ? `feat: ${story.id} - ${story.title.replace(/\s+/g, " ").trim()}` : `chore: ${type.name}, left uncommitted`;
}

/** What the agent reported by a tool goes before what it said. null: nothing that counts. */
function fromInbox(c: AttemptContext, grammar: ReportGrammar, given: GivenReport | null): Report | null {
	if (given === null) return null;
	const read = readGiven(grammar, given);
	if (read.ok) return read.report;
	c.parts.onWarning?.(`${c.step.id} (${c.type.name}): its report was not taken: ${read.problems.join("; ")}`);
	return null;
}

/** A step that starts over needs no evidence of what is thrown away. */
function asksForRestart(edits: EditRequest | null): boolean {
	if (edits === null || !("operations" in edits)) return false;
	const operations: readonly unknown[] = Array.isArray(edits.operations) ? edits.operations : [edits.operations];
	return operations.some((o) => typeof o === "object" && o !== null && "operation" in o && o.operation === "restart");
}

async function gather(c: AttemptContext, said: AgentAnswer): Promise<CheckResult[]> {
	const place = placeOf(c, attemptEnv(c));
	const { evidence = {}, checks } = c.parts;
	const wanted = c.type.checks.flatMap((name): (() => Promise<readonly CheckResult[]>)[] => {
		const own = Object.hasOwn(evidence, name) ? evidence[name] : undefined;
		const command = checks[name];
		if (own) return [() => own(place, said)];
		return command === undefined ? [] : [async () => [await place.run(command, { name })]];
	});
	if (wanted.length === 0) return [];
	const before = await c.workspace.point();
	const results: CheckResult[] = [];
	for (const look of wanted) {
		if (c.signal.aborted) break;
		results.push(...(await look()));
	}
	// A check that mends files as it goes, or commits, must not slip its changes in: what counts is what the attempt left.
	const { paths, committed } = await c.workspace.changes(before);
	if (paths.length > 0 || committed) await c.workspace.rollback(before);
	return results;
}

export async function buildPrompt(c: PromptContext, withFiles = true): Promise<string> {
	const member = c.type.members?.find((m) => m.role === c.role);
	const inLoop = loopRoleOf(c.type, c.step, c.role);
	if (inLoop?.raw !== undefined) return rawPrompt(c, inLoop.raw);
	const name = member?.prompt ?? inLoop?.prompt ?? c.type.prompt ?? "";
	const { definition } = c.state;
	const promptText = definition.prompts[name] ?? "{{step_description}}";
	return stepPrompt({
		state: c.state,
		scope: c.scope,
		step: c.step,
		promptText,
		frame: frameFor(definition, name),
		role: c.role,
		values: {
			sharedDir: c.parts.sharedDir,
			worktree: c.workspace.path,
			branch: c.workspace.branch,
			baseBranch: c.state.input["base_branch"] ?? leftBranch(c.state, c.scope) ?? c.workspace.branch,
			scratchGlobalFile: c.scratch.file(RUN_SCOPE),
			scratchStoryFile: c.scratch.file(c.scope),
			editFile: c.edits.path(c.scope),
			scratchGlobal: await c.scratch.read(RUN_SCOPE),
			scratchStory: c.scope === RUN_SCOPE ? "" : await c.scratch.read(c.scope),
			lintCommand: c.parts.hints.lint,
			testCommand: c.parts.hints.test,
			...(definition.pipeline ? { memory: await memoryOf(c.parts, c.state, c.role, c.type.writes !== "none"), withFiles } : {}),
			...(promptText.includes("has_frontend_changes") ? { frontend: await touchesFrontend(c) } : {}),
			...(inLoop?.fields ? { more: inLoop.fields } : {}),
			feedback: c.step.feedback ?? "",
			steer: c.state.steered.map((text) => `- ${text}`).join("\n"),
		},
	});
}

const PROMPT_BYTES = 4 * 1024 * 1024;

/** As it is: nothing is added, filled in or trimmed. */
async function rawPrompt(c: PromptContext, name: string): Promise<string> {
	const file = c.state.input[`${name}_file`];
	if (file === undefined) return c.state.input[name] ?? "";
	const read = await readUntrusted(file, PROMPT_BYTES);
	if ("text" in read) return read.text;
	throw new WorkspaceError(`${file} cannot be given to the agent: ${"missing" in read ? "it is gone" : read.problem}`);
}

const FRONTEND = /\.(?:tsx|jsx|vue|svelte|astro|html?|css|scss|sass|less)$|(?:^|\/)(?:frontend|public|static|templates)\//i;

async function touchesFrontend(c: PromptContext): Promise<boolean> {
	const from = String(c.state.options.shell["startCommit"] ?? "");
	const paths = await c.parts.repository.changedPaths(from, c.workspace.branch).catch(() => []);
	return paths.some((path) => FRONTEND.test(path));
}

export const folderOf = (scope: string): string => (scope === RUN_SCOPE ? "run" : scope);

export function attemptEnv(c: AttemptContext): Record<string, string> {
	const story = c.state.stories.find((s) => s.id === c.scope);
	return {
		...c.parts.env,
		PAWL_RUN_ID: c.state.id,
		PAWL_STORY_ID: story?.id ?? "",
		// A copy of a step that was cut off is still that step to whoever knows it by its name.
		PAWL_STEP_ID: c.state.definition.ids === "named" ? c.type.name : c.step.id,
		PAWL_STEP_TYPE: c.type.name,
		PAWL_ROLE: c.role,
		PAWL_ATTEMPT: String(c.attempt),
		...(progressFileOf(c.state) === null ? {} : { PAWL_PROGRESS_FILE: progressFileOf(c.state) ?? "" }),
		...placeEnv(c.parts.sharedDir, story?.slot ?? 1),
	};
}

function sessionOf(c: AttemptContext): string | null {
	const sessions = findScope(c.state, c.scope)?.sessions ?? {};
	return (Object.hasOwn(sessions, c.role) ? sessions[c.role] : undefined) ?? null;
}

async function withInbox(c: AttemptContext, prompt: string): Promise<{ said: AgentOutcome; given: GivenReport | null }> {
	const { database, sharedDir } = c.parts;
	if (database === undefined) return { said: await callAgent(c, prompt, null), given: null };
	const { scope, attempt, role } = c;
	const ticket = { run: c.state.id, scope, step: c.step.id, attempt, role, sharedDir, database };
	const inbox = await openInbox(ticket).catch((error: unknown) => {
		// Something an agent put in its place: reports by text still work.
		c.parts.onWarning?.(`${c.step.id} has no inbox for pawl mcp: ${error instanceof Error ? error.message : String(error)}`);
		return null;
	});
	const said = await callAgent(c, prompt, inbox);
	return { said, given: (await inbox?.close()) ?? null };
}

async function callAgent(c: AttemptContext, prompt: string, inbox: Inbox | null): Promise<AgentOutcome & { readonly usage: Usage }> {
	const agents = c.parts.agentsFor(c.role);
	const who = own(c.state.definition.roles, c.role);
	const { agent, model } = c.choice.choose(agents, c.parts.now()) ?? agents[0];
	const outcome = await agent.run(
		{
			prompt,
			cwd: c.workspace.path,
			env: { ...attemptEnv(c), ...refusals(who, c.parts.sharedDir, c.parts.env["PATH"] ?? ""), ...inbox?.env },
			mark: c.mark,
			timeoutMs: c.state.options.timeouts[c.type.name] ?? c.type.timeoutMs,
			stallMs: c.type.stallMs ?? c.parts.stallMs,
			logFile: join(c.parts.sharedDir, logOf(c.scope, c.step.id)),
			model,
			readOnly: c.type.writes === "none",
			denied: deniedTo(who),
			...(c.type.session === "continue" ? { session: { continue: sessionOf(c) } } : {}),
			secrets: inbox === null ? c.parts.secrets : [...c.parts.secrets, inbox.token],
			who: {
				run: c.state.id,
				story: c.scope === RUN_SCOPE ? "" : c.scope,
				step: c.step.id,
				type: c.type.name,
				role: c.role,
				attempt: c.attempt,
				sharedDir: c.parts.sharedDir,
			},
		},
		c.signal,
	);
	if (outcome.result === "auth") {
		const advice = `log in to ${agent.name} again (pawl doctor tells what it looks for), then go on with pawl retry ${c.state.id}`;
		return { ...outcome, error: `${outcome.error ?? "the agent is not logged in"}: ${advice}` };
	}
	if (outcome.result !== "rate_limited" && outcome.result !== "overloaded") return outcome;
	return { ...outcome, retryAt: c.choice.limit(agent.name, outcome.retryAt, agents, c.parts.now()) };
}

export const logOf = (scope: string, step: string): string => `logs/${folderOf(scope)}/${step}.jsonl`;
