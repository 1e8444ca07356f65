// What pawl.yml says, with every default filled in: from the shape as it is written to the one that the rest of pawl reads.
import { type Layer, TIERS, type TierModel, type TierModels, type Wish } from "../core/assign/assignment.ts";
import { parseDuration } from "../core/duration.ts";
import type { SandboxSettings } from "../core/sandbox/sandbox.ts";
import { AGENT_TYPES, type AgentType, parseMoney, parseSize, type WrittenConfig } from "./schema.ts";

export interface AgentConfig {
	readonly type: AgentType;
	/** The executable, with arguments before `args`; split like a shell does. null: the type's own. */
	readonly command: string | null;
	readonly args: readonly string[];
	/** Variables to set; they override those that are passed on. */
	readonly env: Readonly<Record<string, string>>;
	/** Where nothing else chooses one. */
	readonly model: string | null;
	readonly effort: string | null;
	/** Which of its models the tiers stand for. */
	readonly tiers: TierModels;
	/** US dollars for a million tokens, for agents that report tokens and no cost. */
	readonly prices: { readonly input: number; readonly output: number; readonly cached?: number } | null;
	/** claude, codex, opencode, gemini: a configuration of pawl's, or the user's with its MCP servers, hooks and memory. */
	readonly settings: "own" | "user";
	/** Of one attempt. */
	readonly limits: { readonly turns: number | null; readonly costUsd: number | null };
	/** What its sessions draw on; null: that of its type, or one of its own on each machine. */
	readonly account: string | null;
	/** Whether it gets `pawl mcp` for its attempts. */
	readonly mcp: boolean;
	/** `scripted`: the script, relative to the repository's root. */
	readonly script: string | null;
}

/** `from`: whose pawl.yml names it. One that comes with a repository runs in the sandbox of the run. */
export interface NotifyCommand {
	readonly line: string;
	readonly from: "repository" | "user";
}

export interface Config {
	readonly agent: string | null;
	readonly agents: Readonly<Record<string, AgentConfig>>;
	/** Who does which role and step type, as each of the files says: the repository's, then the user's. */
	readonly layers: readonly Layer[];
	readonly base: string | null;
	readonly parallel: number | null;
	/** Agents to use instead, in this order, while another one is at its usage limit. */
	readonly fallback: readonly string[];
	/** Name → command, run by the engine itself. */
	readonly checks: Readonly<Record<string, string>>;
	readonly setup: string | null;
	readonly copy: readonly string[];
	readonly link: readonly string[];
	readonly limits: { readonly costUsd: number | null; readonly timeMs: number | null };
	/** How much of the log of one attempt is kept. */
	readonly logs: { readonly maxBytes: number };
	/** Step type → milliseconds. */
	readonly timeouts: Readonly<Record<string, number>>;
	/** `workflow`: also the address that a workflow itself names. */
	readonly notify: { readonly command: NotifyCommand | null; readonly webhook: string | null; readonly workflow: boolean };
	/** Names of variables that agents get in addition to the usual ones. */
	readonly env: readonly string[];
	readonly push: boolean;
	/** Whether pawl may comment on the issues that a run works on. */
	readonly comment: boolean;
	/** The program that reaches the forge of the remote; null: the host decides. */
	readonly forge: "gh" | "glab" | null;
	/** What it says about flags that formats declare. */
	readonly flags: Readonly<Record<string, boolean>>;
	/** `serial`: no merge is checked ahead of its turn. */
	readonly merge: "queue" | "serial";
	/** The labels of the workers that may work on runs of this repository, where machines share them. */
	readonly requires: readonly string[];
	/** Whether to try setup and checks on base before the first session. */
	readonly baseline: boolean;
	/** What agents, checks and setup run in; null: in none. */
	readonly sandbox: SandboxSettings | null;
}

/** An agent without tiers of its own uses those of its type: `agents: {claude: {tiers: …}}` is for every agent of the type claude. */
export function tiersOf({ agents }: Pick<Config, "agents">, agent: string): TierModels {
	const own = agents[agent];
	return Object.keys(own?.tiers ?? {}).length > 0 ? (own?.tiers ?? {}) : (agents[own?.type ?? agent]?.tiers ?? {});
}

/** What the sessions of an agent draw on. Two machines share an account only if somebody says so: `here`, a user on a machine, is part of every other name. Agents
 * of one type have one login, so they have one account; a program that pawl does not know has its own. */
export function accountOf({ agents }: Pick<Config, "agents">, agent: string, here: string): string {
	const own = agents[agent];
	const type = own?.type ?? agent;
	const login = OWN_LOGIN.has(type) ? agent : type;
	return own?.account ?? agents[login]?.account ?? `${login}/${here}`;
}

const OWN_LOGIN: ReadonlySet<string> = new Set(["acp", "command", "scripted"] satisfies AgentType[]);

export function layerOf(written: WrittenConfig, from: string): Layer {
	const wishes = (all: WrittenConfig["roles"]) => Object.fromEntries(Object.entries(all ?? {}).map(([name, wish]) => [name, wishOf(wish)]));
	return { from, all: wishOf({ agent: written.agent }), roles: wishes(written.roles), steps: wishes(written.steps) };
}

type WrittenWish = NonNullable<WrittenConfig["roles"]>[string];

/** Keys that are left empty say nothing. */
const wishOf = ({ agent, model, effort }: WrittenWish): Wish => ({
	...(agent ? { agent } : {}),
	...(model ? { model } : {}),
	...(effort ? { effort } : {}),
});

const DEFAULT_LOG_BYTES = 256_000_000;

const moneyOf = (written: string | number | null | undefined): number | null =>
	written === null || written === undefined ? null : parseMoney(written);

type WrittenAgent = NonNullable<WrittenConfig["agents"]>[string];

function pricesOf(written: WrittenAgent["prices"]): AgentConfig["prices"] {
	if (!written) return null;
	const { input, output, cached } = written;
	return cached === null || cached === undefined ? { input, output } : { input, output, cached };
}

function tiersIn(written: WrittenAgent["tiers"]): TierModels {
	return Object.fromEntries(
		TIERS.flatMap((tier): (readonly [string, TierModel])[] => {
			const said = written?.[tier];
			if (!said) return [];
			return [
				[tier, typeof said === "string" ? { model: said, effort: null } : { model: said.model ?? null, effort: said.effort ?? null }],
			];
		}),
	);
}

const agentOf = (name: string, agent: WrittenAgent): AgentConfig => ({
	type: agent.type ?? AGENT_TYPES.find((type) => type === name) ?? "command",
	command: agent.command ?? null,
	args: agent.args ?? [],
	env: Object.fromEntries(Object.entries(agent.env ?? {}).map(([key, value]) => [key, String(value)])),
	model: agent.model ?? null,
	effort: agent.effort ?? null,
	tiers: tiersIn(agent.tiers),
	prices: pricesOf(agent.prices),
	settings: agent.settings ?? "own",
	limits: { turns: agent.limits?.turns ?? null, costUsd: moneyOf(agent.limits?.cost) },
	account: agent.account ?? null,
	mcp: agent.mcp ?? false,
	script: agent.script ?? null,
});

/** `notifies`: whose pawl.yml names the command of `notify`, if one does. */
export function complete(written: WrittenConfig, layers: readonly Layer[], notifies: NotifyCommand["from"]): Config {
	const { cost, time } = written.limits ?? {};
	return {
		agent: written.agent ?? null,
		agents: Object.fromEntries(Object.entries(written.agents ?? {}).map(([name, agent]) => [name, agentOf(name, agent)])),
		layers,
		base: written.base ?? null,
		parallel: written.parallel ?? null,
		fallback: written.fallback ?? [],
		checks: written.checks ?? {},
		setup: written.setup ?? null,
		copy: written.copy ?? [],
		link: written.link ?? [],
		limits: { costUsd: moneyOf(cost), timeMs: time ? parseDuration(time) : null },
		logs: { maxBytes: written.logs?.max ? (parseSize(written.logs.max) ?? DEFAULT_LOG_BYTES) : DEFAULT_LOG_BYTES },
		timeouts: Object.fromEntries(Object.entries(written.timeouts ?? {}).map(([type, text]) => [type, parseDuration(text) ?? 0])),
		notify: {
			command: written.notify?.command ? { line: written.notify.command, from: notifies } : null,
			webhook: written.notify?.webhook ?? null,
			workflow: written.notify?.workflow ?? false,
		},
		env: written.env ?? [],
		push: written.push ?? false,
		comment: written.comment ?? false,
		forge: written.forge ?? null,
		flags: { supervisor: written.supervisor ?? true },
		merge: written.merge ?? "queue",
		requires: written.requires ?? [],
		baseline: written.baseline !== false && written.baseline !== "off",
		sandbox: sandboxOf(written.sandbox),
	};
}

function sandboxOf(written: WrittenConfig["sandbox"]): SandboxSettings | null {
	const { type = "none", network, read, write, image, runtime } = typeof written === "string" ? { type: written } : (written ?? {});
	if (type === "none") return null;
	const has = network === true ? "on" : network === false ? "off" : (network ?? "on");
	return { type, network: has, read: read ?? [], write: write ?? [], image: image ?? null, runtime: runtime ?? null };
}
