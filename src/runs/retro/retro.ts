// Looks back at a finished run: an agent reads its record and says what cost sessions and what to change. Writes `retro.md` into the run's folder,
// as a whole or not at all. The journal of the run stays closed: what the retro cost is in the file itself.
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import type { Agent, AgentOutcome } from "../../agent.ts";
import type { Config } from "../../config.ts";
import type { RunState, Story, Usage } from "../../core/model.ts";
import { money } from "../../core/money.ts";
import { isOver } from "../../core/query.ts";
import { type AgentSpec, startedWith } from "../../core/started-with.ts";
import { findWorkflow, workflowFolders } from "../../definition/find.ts";
import { textIn } from "../../files/read.ts";
import { writeWhole } from "../../files/write.ts";
import type { RefChange } from "../../workspace.ts";
import type { RunsContext } from "../context.ts";
import { patchOf } from "../look/diff.ts";
import { usd } from "../look/json-values.ts";
import { lookAt, type OpenRun } from "../open.ts";
import { personFor } from "../person.ts";
import { Refusal } from "../refusal.ts";
import { configOf, findRepository, runFolder } from "../repository.ts";
import { confiner, refuseNoSandbox } from "../sandbox.ts";
import { bringLogs } from "../shared-files.ts";
import { type AgentChoice, ownAgent } from "../start/agents.ts";
import { writeDigest } from "./digest.ts";
import { readRetro, retroPrompt } from "./prompt.ts";
import { inSeat } from "./seat.ts";

const TIMEOUT_MS = 30 * 60_000;
const STALL_MS = 10 * 60_000;

export interface RetroOptions extends AgentChoice {
	/** Ends the session. */
	readonly signal?: AbortSignal;
}

export interface RetroView {
	readonly run: string;
	/** Where it is. */
	readonly file: string;
	readonly agent: string;
	readonly model: string | null;
	readonly cost_usd: number | null;
	readonly input_tokens: number | null;
	readonly output_tokens: number | null;
	/** What the file says, without its head. */
	readonly text: string;
}

export function retro(c: RunsContext, run: string | undefined, options: RetroOptions): Promise<RetroView> {
	return lookAt(c, run, async (opened) => {
		const { state, root } = opened;
		refuseUnfinished(state);
		personFor(c, state);
		const config = await configOf(c, root);
		const { agent, model } = await agentFor(c, config, root, options);
		const folder = realpathSync(mkdtempSync(join(tmpdir(), "pawl-retro-")));
		try {
			const prompt = await record(c, opened, folder);
			const ask = (seated: Agent) => session(c, { opened, config, folder, prompt, options, agent: seated, model });
			const outcome = await inSeat(c, config, state, agent, ask);
			const answer = outcome.result === "ok" ? readRetro(outcome.text, prompt) : { problem: outcome.error ?? outcome.result };
			if ("problem" in answer)
				throw new Refusal(
					"unavailable",
					`there is no retro of ${state.id}: ${answer.problem}. Nothing was written; what it printed is in ${logOf(root, state.id)}`,
				);
			const file = join(runFolder(root, state.id), "retro.md");
			const by = { agent: agent.name, model: outcome.model ?? model };
			await writeWhole(file, `${headOf(state, by, outcome.usage, c.now())}${answer.text}\n`);
			return { run: state.id, file, ...by, ...usageJson(outcome.usage), text: answer.text };
		} finally {
			rmSync(folder, { recursive: true, force: true });
		}
	});
}

function refuseUnfinished({ id, status, definition }: RunState): void {
	if (isOver(status)) return;
	const finish = definition.resume === "never" ? "" : `finish it with pawl resume ${id}, or `;
	throw new Refusal(
		"refused",
		status === "running"
			? `run ${id} has not ended yet: wait for its end (pawl status ${id}), or end it with pawl cancel ${id}`
			: `run ${id} is ${status} and has not ended: ${finish}end it with pawl cancel ${id}`,
	);
}

async function agentFor(c: RunsContext, config: Config, root: string, options: RetroOptions) {
	const spec: AgentSpec = ownAgent(c, config, options);
	const made = await c.services.makeAgent(spec, config, root);
	if ("problem" in made) throw new Refusal("invalid", made.problem);
	return made;
}

/** Puts the record into the folder and returns the prompt. */
async function record(c: RunsContext, opened: OpenRun, folder: string): Promise<string> {
	const { state, events, store, root } = opened;
	const own = workflowOf(c, state, root);
	const diffs = new Map<string, string | null>();
	for (const story of mostAttempted(state)) diffs.set(story.id, await patchOf(opened, story));
	const config = textIn(join(root, "pawl.yml"), { max: FILE_BYTES });
	await bringLogs(store, state, () => true);
	const files = writeDigest(folder, { state, events, diffs, config, workflow: own === null ? {} : textsIn(own.folder) });
	const workflow = own === null || own.builtIn ? null : relative(root, own.folder) || ".";
	return retroPrompt({ run: state.id, folder, files, config: "pawl.yml", workflow });
}

/** The folder that its workflow was loaded from, as far as its name tells. */
function workflowOf(c: RunsContext, { definition }: RunState, root: string): { readonly folder: string; readonly builtIn: boolean } | null {
	const found = findWorkflow(definition.name, root, workflowFolders({ root, env: c.env, home: homedir() }));
	return found.ok ? { folder: dirname(found.found.file), builtIn: found.found.origin === "built-in" } : null;
}

const MOST_FILES = 60;
const FILE_BYTES = 200_000;
const MOST_DIFFS = 40;

/** Of many stories, those whose steps ran most often: that is where sessions went. */
function mostAttempted({ stories }: RunState): readonly Story[] {
	const attempts = ({ scope }: Story): number => scope.steps.reduce((sum, step) => sum + step.attempt, 0);
	return stories.toSorted((a, b) => attempts(b) - attempts(a)).slice(0, MOST_DIFFS);
}

function textsIn(folder: string): Record<string, string> {
	const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => /\.(ya?ml|md)$/.test(name));
	return Object.fromEntries(names.slice(0, MOST_FILES).map((name) => [name, textIn(join(folder, name), { max: FILE_BYTES }) ?? ""]));
}

interface Session {
	readonly opened: OpenRun;
	readonly config: Config;
	readonly folder: string;
	readonly prompt: string;
	readonly options: RetroOptions;
	readonly agent: Agent;
	readonly model: string | null;
}

/** It may neither write nor run commands, as far as the agent can be told, and it works in a folder of its own. What it did to refs all the
 * same is put back. The user's checkout is left alone: a person may be in the middle of something there. */
async function session(c: RunsContext, { opened, config, folder, prompt, options, agent, model }: Session): Promise<AgentOutcome> {
	const { state, root } = opened;
	const { env, secrets } = c.services.agentEnv(config, c.env);
	const mark = `${state.id}:@retro:${c.now()}`;
	const repository = await findRepository(c);
	const refs = await repository.watchRefs(mark);
	const settings = startedWith(state).sandbox ?? config.sandbox;
	await refuseNoSandbox(c, settings);
	const sandbox = settings === null ? null : await confiner(c, settings, { repository, config, sharedDir: null })(folder, "agent");
	mkdirSync(dirname(logOf(root, state.id)), { recursive: true });
	const outcome = await agent.run(
		{
			prompt,
			cwd: folder,
			env: { ...env, ...refs.env, PAWL_RUN_ID: state.id, PAWL_ROLE: "retro" },
			mark,
			...(sandbox === null ? {} : { sandbox }),
			timeoutMs: TIMEOUT_MS,
			stallMs: STALL_MS,
			logFile: logOf(root, state.id),
			logMax: config.logs.maxBytes,
			model,
			readOnly: true,
			denied: ["run", "commit", "network"],
			secrets,
			who: { run: state.id, story: "", step: "retro", type: "retro", role: "retro", attempt: 1, sharedDir: folder },
		},
		options.signal ?? new AbortController().signal,
	);
	tellTrespass(c, await refs.check());
	return outcome;
}

function tellTrespass(c: RunsContext, refs: readonly RefChange[]): void {
	for (const { what, change, by, putBack, kept } of refs)
		c.warn(
			`${what} was ${change} while the retro ran${by === "session" ? " by its agent" : ""}${putBack ? ", and put back" : ""}${kept === null ? "" : ` (kept as ${kept})`}`,
		);
}

const logOf = (root: string, run: string): string => join(runFolder(root, run), "logs", "retro.jsonl");

const usageJson = ({ costUsd, inputTokens, outputTokens }: Usage) => ({
	cost_usd: usd(costUsd),
	input_tokens: inputTokens,
	output_tokens: outputTokens,
});

function headOf(state: RunState, { agent, model }: { agent: string; model: string | null }, usage: Usage, at: number): string {
	const cost = usage.costUsd === null ? "cost unknown" : money(usage.costUsd);
	const tokens = usage.inputTokens === null ? "" : `, ${usage.inputTokens} tokens in, ${usage.outputTokens ?? 0} out`;
	return `# Retro of run ${state.id}

- ${state.definition.name}: ${state.title.replace(/\s+/g, " ")}; ${state.status}
- by ${agent}${model === null ? "" : ` (${model})`} on ${new Date(at).toISOString()}: ${cost}${tokens}

`;
}
