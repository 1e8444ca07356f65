// The only file that names implementations: which store, which agents, which workspace, which projections. What a command
// may not need is imported when it does: `pawl status` must start about as fast as Node itself.
import { readFileSync, rmSync } from "node:fs";
import { userInfo } from "node:os";
import { isAbsolute, resolve } from "node:path";
import type { Agent } from "./agent.ts";
import type { AgentConfig, Config } from "./config.ts";
import type { AgentSpec } from "./core/started-with.ts";
import type { ChosenAgent } from "./engine/parts.ts";
import { lateForge } from "./forge/late.ts";
import { ghServes, glabServes } from "./forge/serves.ts";
import { formats } from "./format/all.ts";
import { late } from "./format/late.ts";
import type { Format } from "./format.ts";
import { packagePath } from "./package-root.ts";
import { marksAbove, pickEnv, secretsOf } from "./process.ts";
import type { Services } from "./runs/context.ts";
import { Refusal } from "./runs/refusal.ts";
import { openSqliteReader, openSqliteStore } from "./store/sqlite.ts";
import { type LockFile, openLockFile } from "./store/sqlite-file.ts";
import { lateTelemetry } from "./telemetry/late.ts";
import { wantedSignals } from "./telemetry/wanted.ts";

const AGENT_ENV = ["PATH", "HOME", "LANG", "TERM", "TMPDIR"];

type Made = ChosenAgent | { readonly problem: string };

/** Everything of one kind from all formats, by the names that workflows use. */
function named<T>(of: (format: Format) => Readonly<Record<string, T>> | undefined): Readonly<Record<string, T>> {
	return Object.fromEntries(formats.flatMap((format) => Object.entries(of(format) ?? {})));
}

async function firstOf<T>(ask: (format: Format) => Promise<T | null> | undefined): Promise<T | null> {
	for (const format of formats) {
		const answer = (await ask(format)) ?? null;
		if (answer !== null) return answer;
	}
	return null;
}

const projections = named((format) => format.projections);

export const services: Services = {
	version: (JSON.parse(readFileSync(packagePath("package.json"), "utf8")) as { version: string }).version,
	openRepository: late(async () => (await import("./workspace/repository.ts")).openRepository),
	openHistory: late(async () => (await import("./workspace/history.ts")).openHistory),
	openStore: openSqliteStore,
	openReader: openSqliteReader,
	openShared: async (url, warn, worker) =>
		(await import("./store/postgres/store.ts")).openPostgresStore({
			url: await safeAddress(url, warn),
			warn,
			...(worker === undefined ? {} : { worker }),
		}),
	examineDatabase: async (url) => (await import("./store/postgres/doctor.ts")).examineDatabase(url),
	makeRoles: async (url) => (await import("./store/postgres/roles.ts")).makeRoles(await safeAddress(url)),
	rolesSql: async () => (await import("./store/postgres/roles.ts")).ROLES_SQL,
	openClone: async (...given) => (await import("./workspace/remote/clone.ts")).openClone(...given),
	openPersonsCheckout: async (...given) => (await import("./workspace/remote/persons-checkout.ts")).openPersonsCheckout(...given),
	openSharedRepository: async (...given) => (await import("./workspace/shared-repository.ts")).openSharedRepository(...given),
	openDispatch: async (url, warn, silentMs) => {
		const { GIVE_UP_MS } = await import("./store/postgres/connect.ts");
		const { isTransient, Patience } = await import("./store/postgres/patience.ts");
		const patience = new Patience(GIVE_UP_MS, warn);
		return (await import("./dispatch/pgboss.ts")).pgBossDispatch({
			url,
			warn,
			patient: { keep: (work) => patience.keep(work), isTransient },
			...(silentMs === undefined ? {} : { heartbeatSeconds: Math.ceil(silentMs / 1_000) }),
		});
	},
	lockFile: lockOf,
	makeAgent,
	keepBrought: async (...given) => (await import("./agent/program/brought.ts")).keepBrought(...given),
	knownAgents: async () => Object.values((await import("./agent/cli/known.ts")).KNOWN_AGENTS),
	isolation: late(async () => (await import("./process.ts")).isolation),
	sandboxProblem: late(async () => (await import("./process.ts")).sandboxProblem),
	actions: {
		checks: late(async () => {
			const { checksWith } = await import("./engine/actions/checks.ts");
			return checksWith((...given) => firstOf((format) => format.deliveryChecks?.(...given)));
		}),
		merge: Object.assign(
			late(async () => (await import("./engine/actions/merge.ts")).merge),
			{ standing: late(async () => (await import("./engine/actions/merge.ts")).merge.standing) },
		),
		tidy: late(async () => (await import("./engine/actions/tidy.ts")).tidy),
		commit: late(async () => (await import("./engine/actions/commit.ts")).commit),
		"forge.pull-request": late(async () => (await import("./engine/actions/pull-request.ts")).pullRequest),
		...named((format) => format.actions),
	},
	evidence: { "on-base": late(async () => (await import("./engine/on-base.ts")).onBase), ...named((format) => format.evidence) },
	keepers: named((format) => format.keepers),
	writeRules: named((format) => format.writeRules),
	controlFiles: named((format) => format.controlFiles),
	readers: named((format) => format.readers),
	stateFiles: named((format) => format.stateFiles),
	commands: named((format) => format.commands),
	flags: named((format) => format.flags),
	get names() {
		const { readers, actions, keepers, writeRules, controlFiles } = services;
		return {
			readers: Object.keys(readers),
			actions: Object.keys(actions),
			keepers: Object.keys(keepers),
			writeRules: Object.keys(writeRules),
			inboxes: Object.keys(controlFiles),
			projections: Object.keys(projections),
		};
	},
	get language() {
		return { names: services.names, spellings: formats.flatMap(({ spelling }) => (spelling ? [spelling] : [])) };
	},
	promptAdditions: (of) => firstOf((format) => format.promptAdditions?.(of)),
	sessionEnv: (state) => Object.assign({}, ...formats.map((format) => format.sessionEnv?.(state))),
	newRunInput: async (run) => Object.assign({}, ...(await Promise.all(formats.map((format) => format.newRunInput?.(run))))),
	userFiles: (state) => formats.flatMap((format) => format.userFiles?.(state) ?? []),
	keptStories: async (state) => (await Promise.all(formats.map((format) => format.keptStories?.(state) ?? []))).flat(),
	inputsIn: async (tree) => (await Promise.all(formats.map((format) => format.inputsIn?.(tree) ?? []))).flat(),
	undone: async (state, stories, warn) => {
		for (const format of formats) await format.undone?.(state, stories, warn);
	},
	deaf: (state) => formats.map((format) => format.deaf?.(state) ?? null).find((why) => why !== null) ?? null,
	storiesNow: async (state) =>
		(await Promise.all(formats.map((format) => format.storiesNow?.(state) ?? null))).find((now) => now !== null) ?? null,
	oneShotWorkflow: "dynamic",
	rows: (before, after) => formats.map((format) => format.rows?.(before, after)).find((rows) => rows) ?? null,
	agentIds: (workflow, role) => [role, ...formats.flatMap((format) => format.agentIds?.(workflow, role) ?? [])],
	notifyAddress: (definition) => formats.map((format) => format.notifyAddress?.(definition)).find((address) => address) ?? null,
	forges: [
		lateForge("gh", async () => (await import("./forge/gh.ts")).gh, ghServes),
		lateForge("glab", async () => (await import("./forge/glab.ts")).glab, glabServes),
	],
	projections: (sharedDir, root) => (state, warn) =>
		state.definition.projections.flatMap((name) => projections[name]?.open({ state, sharedDir, root, lock: lockOf, warn }) ?? []),
	changedByHand: async (sharedDir, root, events) => {
		const [first] = events;
		for (const name of first?.event === "run_created" ? first.definition.projections : []) {
			const changed = (await projections[name]?.changed?.({ sharedDir, root, events })) ?? null;
			if (changed !== null) return changed;
		}
		return null;
	},
	openTelemetry: (env, warn) =>
		wantedSignals(env).length === 0
			? null
			: lateTelemetry(async (once) => {
					const [{ otlpSender }, { JournalFollower }] = await Promise.all([
						import("./telemetry/otlp.ts"),
						import("./runs/telemetry/journal-follower.ts"),
					]);
					const sender = otlpSender({ version: services.version, env, warn: once });
					const follower = new JournalFollower(sender);
					return { witness: (...seen) => follower.see(...seen), close: () => sender.close() };
				}, warn),
	caller,
	secretsIn: secretsOf,
	agentEnv: (config, env) => ({ env: pickEnv(env, [...AGENT_ENV, ...config.env]), secrets: secretsOf(env) }),
};

/** Every connection to a shared database comes by here. */
async function safeAddress(url: string, warn: (text: string) => void = () => {}): Promise<string> {
	const address = (await import("./store/postgres/address.ts")).addressIn(url);
	if ("problem" in address) throw new Refusal("invalid", address.problem);
	if (address.warning !== null) warn(address.warning);
	return address.url;
}

function caller(): ReturnType<Services["caller"]> {
	let user = process.env["USER"] ?? "unknown";
	try {
		user = userInfo().username;
	} catch {
		// A user id without a name, as in some containers.
		user = `uid ${process.getuid?.() ?? "unknown"}`;
	}
	return { user, marks: marksAbove() };
}

/** The connection stays open between two locks: opening one costs more than everything else about it. */
function lockOf(file: string): { release(): void } | null {
	const known = lockFiles.get(file) ?? openAnyLockFile(file);
	lockFiles.set(file, known);
	return known.take() ? { release: () => known.release() } : null;
}

/** It stores nothing: if an agent put something else in its place, it is made again. */
function openAnyLockFile(file: string): LockFile {
	try {
		return openLockFile(file);
	} catch {
		rmSync(file, { recursive: true, force: true });
		return openLockFile(file);
	}
}

const lockFiles = new Map<string, LockFile>();

async function makeAgent(spec: AgentSpec, config: Config, root: string): Promise<Made> {
	const own: AgentConfig | undefined = config.agents[spec.agent];
	const type = own?.type ?? spec.agent;
	const model = spec.model ?? own?.model ?? null;
	const effort = spec.effort ?? own?.effort ?? null;
	const made = await build(type, spec, own, root);
	if ("problem" in made) return made;
	const problem = await made.agent.problem();
	return problem === null ? { agent: withLimits(made.agent, own), model, ...(effort === null ? {} : { effort }) } : { problem };
}

type Built = { readonly agent: Agent } | { readonly problem: string };

async function build(type: string, spec: AgentSpec, own: AgentConfig | undefined, root: string): Promise<Built> {
	const name = spec.agent;
	if (type === "scripted") {
		const file = spec.script ?? own?.script ?? null;
		if (file === null) return { problem: "the agent scripted needs --script FILE" };
		return scripted(name, isAbsolute(file) ? file : resolve(root, file));
	}
	if (type === "command") {
		const text = spec.command ?? own?.command ?? null;
		if (text === null) return { problem: 'the agent command needs --agent-command "CMD"' };
		return command(name, text, own);
	}
	if (type === "acp") return acp(name, own);
	const [{ KNOWN_AGENTS }, { cliAgent }] = await Promise.all([import("./agent/cli/known.ts"), import("./agent/cli/cli-agent.ts")]);
	const known = Object.hasOwn(KNOWN_AGENTS, type) ? KNOWN_AGENTS[type] : undefined;
	if (!known)
		return {
			problem: `there is no agent ${name}; there are ${[...Object.keys(KNOWN_AGENTS), "acp", "command", "scripted"].join(", ")} and those of pawl.yml`,
		};
	const { splitCommand } = await import("./process.ts");
	const split = own?.command ? splitCommand(own.command) : null;
	if (split !== null && !split.ok) return { problem: `the command of the agent ${name} cannot be read: ${split.error}` };
	const { args = [], env = {}, prices = null, settings = "own" } = own ?? {};
	const mcp = mcpCommand(own);
	const agent = { name, adapter: known, mcp, command: split?.words ?? null, args, env, prices, settings, user: process.env, isolate: true };
	return { agent: cliAgent(agent) };
}

async function command(name: string, text: string, own: AgentConfig | undefined): Promise<Built> {
	const [{ commandAgent }, { splitCommand }] = await Promise.all([import("./agent/program/command.ts"), import("./process.ts")]);
	const split = splitCommand(text);
	if (!split.ok) return { problem: `the command of the agent ${name} cannot be read: ${split.error}` };
	const agent = commandAgent({ name, argv: [...split.words, ...(own?.args ?? [])], isolate: true, prices: own?.prices ?? null });
	return { agent: withEnv(agent, own?.env ?? {}) };
}

async function acp(name: string, own: AgentConfig | undefined): Promise<Built> {
	if (!own?.command) return { problem: `the agent ${name} needs a \`command\` in pawl.yml: agents: {NAME: {type: acp, command: "…"}}` };
	const [{ acpAgent }, { splitCommand }] = await Promise.all([import("./agent/acp/acp.ts"), import("./process.ts")]);
	const split = splitCommand(own.command);
	if (!split.ok) return { problem: `the command of the agent ${name} cannot be read: ${split.error}` };
	const agent = acpAgent({ name, argv: [...split.words, ...own.args], isolate: true, prices: own.prices, mcp: mcpCommand(own) });
	return { agent: withEnv(agent, own.env) };
}

/** The command line of this program, however it was started. */
const mcpCommand = (own: AgentConfig | undefined): readonly string[] | null =>
	own?.mcp ? [process.execPath, packagePath("bin", "start.cjs"), "mcp"] : null;

async function scripted(name: string, file: string): Promise<Built> {
	const [{ loadScript }, { scriptedAgent }] = await Promise.all([
		import("./agent/scripted/script.ts"),
		import("./agent/scripted/scripted.ts"),
	]);
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

/** Limits of the request are narrower than those that pawl.yml sets for the agent. */
const withLimits = (agent: Agent, own: AgentConfig | undefined): Agent => {
	const { turns = null, costUsd = null } = own?.limits ?? {};
	if (turns === null && costUsd === null) return agent;
	return { ...agent, run: (request, signal) => agent.run({ maxTurns: turns, maxCostUsd: costUsd, ...request }, signal) };
};
