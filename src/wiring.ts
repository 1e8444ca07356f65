// The only file that names implementations: which store, which agents, which workspace, which projections. What a command
// may not need is imported when it does: `pawl status` must start about as fast as Node itself.
import { existsSync, readFileSync, rmSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { keepBrought } from "./agent/brought.ts";
import type { Agent } from "./agent.ts";
import type { AgentConfig, Config } from "./config.ts";
import type { AgentChoice } from "./core/started-with.ts";
import { commit } from "./engine/actions/commit.ts";
import { merge } from "./engine/actions/merge.ts";
import { pullRequest } from "./engine/actions/pull-request.ts";
import { removeTemporaries, writeWhole } from "./files/write.ts";
import { gh } from "./forge/gh.ts";
import { glab } from "./forge/glab.ts";
import { STATE_FILE, STATE_FOLDER, SUMS } from "./format/agent-state/names.ts";
import { AgentStateFile } from "./format/agent-state/state-files.ts";
import { ProgressFile } from "./format/pipeline/progress-file.ts";
import { PrdFile } from "./format/prd/prd-file.ts";
import { control } from "./format/run-folder/control.ts";
import { JournalFiles } from "./format/run-folder/journal-files.ts";
import { runFolderKeeper } from "./format/run-folder/keeper.ts";
import { runFolderPrep, runFolderReady, runFolderRequest } from "./format/run-folder/prepare-folder.ts";
import { barePrompt, runFolder } from "./format/run-folder/reader.ts";
import { isOurs, StateFile } from "./format/workflow-state/state-file.ts";
import type { Action, Projection } from "./format.ts";
import { isolation, pickEnv, secretsOf, splitCommand } from "./process.ts";
import type { Services } from "./runs/context.ts";
import { openSqliteReader, openSqliteStore } from "./store/sqlite.ts";
import { type LockFile, openLockFile } from "./store/sqlite-file.ts";
import { openRepository } from "./workspace/repository.ts";

const packageRoot = fileURLToPath(new URL("..", import.meta.url));
const AGENT_ENV = ["PATH", "HOME", "LANG", "TERM", "TMPDIR"];

type Made = { readonly agent: Agent; readonly model: string | null } | { readonly problem: string };

export const services: Services = {
	version: (JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8")) as { version: string }).version,
	openRepository,
	openStore: openSqliteStore,
	openReader: openSqliteReader,
	lockFile: lockOf,
	makeAgent,
	keepBrought,
	knownAgents: async () => Object.values((await import("./agent/known.ts")).KNOWN_AGENTS),
	isolation,
	stateFiles: { [`${STATE_FOLDER}/${STATE_FILE}`]: "task_document" },
	actions: {
		merge,
		commit,
		"forge.pull-request": pullRequest,
		"state.begin": stateAction("begin"),
		"state.checkpoint": stateAction("checkpoint"),
		"state.save-point": stateAction("savePoint"),
		"state.fixed": stateAction("fixed"),
		"state.milestone": stateAction("milestone"),
		"artifacts.red": later(async () => (await import("./format/issue/artifacts/evidence.ts")).red),
		"artifacts.green": later(async () => (await import("./format/issue/artifacts/evidence.ts")).green),
		"artifacts.known-tests": later(async () => (await import("./format/issue/artifacts/evidence.ts")).knownTests),
		"artifacts.fixes": later(async () => (await import("./format/issue/artifacts/fixes.ts")).fixes),
		"issue.preconditions": later(async () => (await import("./format/issue/actions.ts")).preconditions),
		"issue.begin": later(async () => (await import("./format/issue/actions.ts")).begin),
		"issue.file-tasks": later(async () => (await import("./format/issue/actions.ts")).fileTasks),
		"issue.settle": later(async () => (await import("./format/issue/actions.ts")).settle),
		"issue.follow-ups": later(async () => (await import("./format/issue/actions.ts")).followUps),
		"issue.give-back": later(async () => (await import("./format/issue/actions.ts")).giveBack),
		"issue.summary": later(async () => (await import("./format/issue/summary.ts")).summary),
	},
	evidence: {
		criteria: async (place, said) => (await import("./format/agent-state/criteria.ts")).criteria(place, said),
		tasks: async (place, said) => (await import("./format/agent-state/tasks.ts")).tasks(place, said),
		"run-folder-ready": runFolderReady,
		stubs: later(async () => (await import("./toolchain/rust/stubs.ts")).stubs),
		compiles: later(async () => (await import("./toolchain/rust/stubs.ts")).compiles),
	},
	keepers: {
		"run-folder": runFolderKeeper,
		"run-folder-prep": runFolderPrep,
		artifacts: {
			before: later(async () => (await import("./format/issue/artifacts/keeper.ts")).before),
			after: later(async () => (await import("./format/issue/artifacts/keeper.ts")).after),
		},
	},
	writeRules: {
		"task-files": later(async () => (await import("./format/issue/artifacts/write-rules.ts")).taskFiles),
		"test-files": later(async () => (await import("./format/issue/artifacts/write-rules.ts")).testFiles),
		"changed-files": later(async () => (await import("./format/issue/artifacts/write-rules.ts")).changedFiles),
	},
	controlFiles: { "run-folder": control },
	readers: {
		"run-folder": runFolder,
		"bare-prompt": barePrompt,
		"run-folder-request": runFolderRequest,
		issue: later(async () => (await import("./format/issue/reader.ts")).issue),
		task_document: async (given) => (await import("./format/agent-state/reader.ts")).taskDocument(given),
	},
	get names() {
		const { readers, actions, keepers, writeRules, controlFiles } = services;
		return {
			readers: ["request", "task", "prd", ...Object.keys(readers)],
			actions: Object.keys(actions),
			keepers: Object.keys(keepers),
			writeRules: Object.keys(writeRules),
			inboxes: Object.keys(controlFiles),
			projections: ["workflow_state", "prd", "progress", "agent_state", "run_folder"],
		};
	},
	forges: [gh, glab],
	projections: (sharedDir, root) => (state) =>
		state.definition.projections.flatMap((name): Projection[] => {
			const prd = state.input["prd"];
			switch (name) {
				case "workflow_state":
					removeTemporaries(join(sharedDir, "workflow_state.json"));
					return [
						new StateFile({
							sharedDir,
							prdFile: prdName(state, root),
							createdAt: state.createdAt,
							lock: lockOf,
							write: (file, text) => writeWhole(file, text),
						}),
					];
				case "prd":
					if (prd === undefined) return [];
					removeTemporaries(prd);
					return [new PrdFile(prd, (file, text) => writeWhole(file, text, { durable: true }))];
				case "agent_state": {
					const folder = state.input["state_dir"];
					if (folder === undefined) return [];
					removeTemporaries(join(folder, STATE_FILE));
					return [
						new AgentStateFile({ folder, run: state.id, sums: join(sharedDir, SUMS), write: (file, text) => writeWhole(file, text) }),
					];
				}
				case "progress":
					return state.input["progress_file"] === undefined ? [] : [new ProgressFile(state.input["progress_file"], state.id)];
				case "run_folder": {
					const { folder, folder_id: id } = state.input;
					return folder === undefined || id === undefined ? [] : [new JournalFiles(state, folder, id)];
				}
				default:
					return [];
			}
		}),
	changedByHand: async (sharedDir, root, events) => {
		const [first] = events;
		if (first?.event !== "run_created") return null;
		if (first.definition.projections.includes("agent_state")) {
			const { changedState } = await import("./format/agent-state/state-folder.ts");
			return changedState(first.input["state_dir"] ?? "", events, join(sharedDir, SUMS));
		}
		if (!first.definition.projections.includes("workflow_state")) return null;
		const file = join(sharedDir, "workflow_state.json");
		if (!existsSync(file)) return null;
		return isOurs(readFileSync(file, "utf8"), events, { createdAt: first.at, prdFile: prdName(first, root) })
			? null
			: {
					file,
					problem: `${file} was changed since pawl wrote it. The journal is what counts and the file is written from it, so the change would be lost: put the file back or move it away, then go on`,
				};
	},
	agentEnv: (config, env) => ({ env: pickEnv(env, [...AGENT_ENV, ...config.env]), secrets: secretsOf(env) }),
};

/** Code that only some workflows name is imported when it is called. */
function later<A extends readonly unknown[], R>(load: () => Promise<(...given: A) => Promise<R>>): (...given: A) => Promise<R> {
	return async (...given) => (await load())(...given);
}

function stateAction(name: "begin" | "checkpoint" | "savePoint" | "fixed" | "milestone"): Action {
	return async (place) => (await import("./format/agent-state/actions.ts"))[name](place);
}

/** As the document has it: relative to the repository where it is in there. */
function prdName({ input }: { readonly input: Readonly<Record<string, string>> }, root: string): string | null {
	const prd = input["prd"];
	if (prd === undefined) return null;
	return prd.startsWith(`${root}/`) ? prd.slice(root.length + 1) : prd;
}

/** The connection stays open between two locks: opening one costs more than everything else about it. */
function lockOf(file: string): { release(): void } | null {
	const known = lockFiles.get(file) ?? openAnyLockFile(file);
	lockFiles.set(file, known);
	return known.take() ? { release: () => known.release() } : null;
}

/** Nothing is ever kept in it: where an agent left something else in its place, it is made anew. */
function openAnyLockFile(file: string): LockFile {
	try {
		return openLockFile(file);
	} catch {
		rmSync(file, { recursive: true, force: true });
		return openLockFile(file);
	}
}

const lockFiles = new Map<string, LockFile>();

async function makeAgent(choice: AgentChoice, config: Config, root: string): Promise<Made> {
	const own: AgentConfig | undefined = config.agents[choice.agent];
	const type = own?.type ?? choice.agent;
	const model = choice.model ?? own?.model ?? null;
	const made = await build(type, choice, own, root);
	if ("problem" in made) return made;
	const problem = await made.agent.problem();
	return problem === null ? { agent: withLimits(made.agent, own), model } : { problem };
}

type Built = { readonly agent: Agent } | { readonly problem: string };

async function build(type: string, choice: AgentChoice, own: AgentConfig | undefined, root: string): Promise<Built> {
	const name = choice.agent;
	if (type === "scripted") {
		const file = choice.script ?? own?.script ?? null;
		if (file === null) return { problem: "the agent scripted needs --script FILE" };
		return scripted(name, isAbsolute(file) ? file : resolve(root, file));
	}
	if (type === "command") {
		const text = choice.command ?? own?.command ?? null;
		if (text === null) return { problem: 'the agent command needs --agent-command "CMD"' };
		return command(name, text, own);
	}
	if (type === "acp") return acp(name, own);
	const [{ KNOWN_AGENTS }, { cliAgent }] = await Promise.all([import("./agent/known.ts"), import("./agent/cli-agent.ts")]);
	const known = Object.hasOwn(KNOWN_AGENTS, type) ? KNOWN_AGENTS[type] : undefined;
	if (!known)
		return {
			problem: `there is no agent ${name}; there are ${[...Object.keys(KNOWN_AGENTS), "acp", "command", "scripted"].join(", ")} and those of pawl.yml`,
		};
	const split = own?.command ? splitCommand(own.command) : null;
	if (split !== null && !split.ok) return { problem: `the command of the agent ${name} cannot be read: ${split.error}` };
	const { args = [], env = {}, prices = null, settings = "own" } = own ?? {};
	const mcp = mcpCommand(own);
	const agent = { name, adapter: known, mcp, command: split?.words ?? null, args, env, prices, settings, user: process.env, isolate: true };
	return { agent: cliAgent(agent) };
}

async function command(name: string, text: string, own: AgentConfig | undefined): Promise<Built> {
	const { commandAgent } = await import("./agent/command.ts");
	const split = splitCommand(text);
	if (!split.ok) return { problem: `the command of the agent ${name} cannot be read: ${split.error}` };
	const agent = commandAgent({ name, argv: [...split.words, ...(own?.args ?? [])], isolate: true, prices: own?.prices ?? null });
	return { agent: withEnv(agent, own?.env ?? {}) };
}

async function acp(name: string, own: AgentConfig | undefined): Promise<Built> {
	if (!own?.command) return { problem: `the agent ${name} needs a \`command\` in pawl.yml: agents: {NAME: {type: acp, command: "…"}}` };
	const split = splitCommand(own.command);
	if (!split.ok) return { problem: `the command of the agent ${name} cannot be read: ${split.error}` };
	const { acpAgent } = await import("./agent/acp.ts");
	const agent = acpAgent({ name, argv: [...split.words, ...own.args], isolate: true, prices: own.prices, mcp: mcpCommand(own) });
	return { agent: withEnv(agent, own.env) };
}

/** Ourselves, however we were started. */
const mcpCommand = (own: AgentConfig | undefined): readonly string[] | null =>
	own?.mcp ? [process.execPath, join(packageRoot, "bin", "start.mjs"), "mcp"] : null;

async function scripted(name: string, file: string): Promise<Built> {
	const [{ loadScript }, { scriptedAgent }] = await Promise.all([import("./agent/script.ts"), import("./agent/scripted.ts")]);
	let text: string;
	try {
		text = readFileSync(file, "utf8");
	} catch {
		return { problem: `the script ${file} cannot be read` };
	}
	const loaded = loadScript(text, file);
	if (!loaded.ok) return { problem: loaded.problems.map((p) => `${p.file}:${p.line}:${p.column}: ${p.message}`).join("\n") };
	return { agent: scriptedAgent({ name, script: loaded.script }) };
}

const withEnv = (agent: Agent, env: Readonly<Record<string, string>>): Agent => ({
	...agent,
	run: (request, signal) =>
		agent.run({ ...request, env: { ...request.env, ...env }, secrets: [...request.secrets, ...secretsOf(env)] }, signal),
});

/** Those of the request are narrower than what pawl.yml says of the agent. */
const withLimits = (agent: Agent, own: AgentConfig | undefined): Agent => {
	const { turns = null, costUsd = null } = own?.limits ?? {};
	if (turns === null && costUsd === null) return agent;
	return { ...agent, run: (request, signal) => agent.run({ maxTurns: turns, maxCostUsd: costUsd, ...request }, signal) };
};
