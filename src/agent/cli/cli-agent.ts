// Makes an agent from an adapter. Each attempt gets a home of its own, one run of the CLI in it, and the home is removed.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Agent, AgentOutcome, AgentRequest } from "../../agent.ts";
import { type Place, read, type Sandbox, write } from "../../core/sandbox/sandbox.ts";
import { textIn } from "../../files/read.ts";
import { clearWay } from "../../files/way.ts";
import { writeWholeSync } from "../../files/write.ts";
import { pickEnv, secretsOf } from "../../process.ts";
import { notThere, placed } from "../program/command.ts";
import { notStarted } from "../program/judge.ts";
import { mcpPlaces, mcpServer } from "../program/mcp-server.ts";
import type { Prices } from "../program/price.ts";
import { runProgram } from "../program/run.ts";
import { type AgentOutput, minus } from "../stream/event.ts";
import type { Adapter, Variables } from "./adapter.ts";
import { type Home, openHome } from "./home.ts";

export interface CliOptions {
	readonly name: string;
	readonly adapter: Adapter;
	/** The program and its first arguments, instead of the adapter's. */
	readonly command?: readonly string[] | null;
	readonly args?: readonly string[];
	/** Overrides what the adapter sets. */
	readonly env?: Readonly<Record<string, string>>;
	readonly prices?: Prices | null;
	/** "user": use the user's own settings, tools and memory. */
	readonly settings?: "own" | "user";
	/** The command of `pawl mcp`, if the agent is to have it. */
	readonly mcp?: readonly string[] | null;
	/** The user's environment, from which the adapter picks what a login needs. */
	readonly user: Variables;
	readonly isolate: boolean;
}

export function cliAgent(options: CliOptions): Agent {
	const { name, adapter, command = null } = options;
	const [program = adapter.program] = command ?? [];
	return {
		name,
		...(adapter.effortless ? { effortless: true } : {}),
		unpriced: (adapter.unpriced ?? false) && (options.prices ?? null) === null,
		problem: async () => {
			const problem = notThere(name, program);
			return problem === null
				? null
				: `${problem}. To install it: ${adapter.install}; then ${adapter.login}. Another agent: --agent NAME (pawl doctor lists them)`;
		},
		run: async (request, signal) => {
			try {
				return await attempt(options, program, request, signal);
			} catch (error) {
				return notStarted(`cannot prepare a home for the agent ${name}: ${error instanceof Error ? error.message : String(error)}`);
			}
		},
	};
}

/** A session whose folder is gone cannot be continued, and neither can one that the program itself no longer knows. */
async function attempt(options: CliOptions, program: string, request: AgentRequest, signal: AbortSignal): Promise<AgentOutcome> {
	const { session, model, effort } = request;
	const flag = [model, effort].find((name) => name?.startsWith("-"));
	if (flag !== undefined)
		return notStarted(`${JSON.stringify(flag)} is no name of a model or an effort: ${options.name} would take it for an option`);
	if (session === undefined || session.continue === null) return once(options, program, request, signal);
	const anew = { ...request, session: { ...session, continue: null } };
	if (!existsSync(session.folder)) return once(options, program, anew, signal);
	const outcome = await once(options, program, session.message === undefined ? request : { ...request, prompt: session.message }, signal);
	const refused = outcome.result === "agent_error" && outcome.sessionId === null && outcome.text.trim() === "";
	return refused ? once(options, program, anew, signal) : outcome;
}

async function once(options: CliOptions, program: string, request: AgentRequest, signal: AbortSignal): Promise<AgentOutcome> {
	const { adapter, command = null, args = [], env = {}, prices = null, user, isolate } = options;
	const userSettings = options.settings === "user";
	const known = { ...user, ...request.env, ...env };
	const keep = request.session?.folder ?? null;
	const home = openHome({
		userHome: userSettings ? null : (known["HOME"] ?? null),
		keep,
		credentials: userSettings ? [] : adapter.credentials(known),
		visible: request.sandbox?.places.map(({ path }) => path) ?? null,
		...(adapter.configAt === undefined ? {} : { configAt: adapter.configAt }),
	});
	try {
		const launch = adapter.launch({
			request,
			config: home.config,
			userSettings,
			extra: args,
			user: known,
			mcp: mcpServer(options.mcp ?? null, request.env),
		});
		for (const [path, text] of Object.entries(launch.files ?? {})) {
			clearWay(home.config, join(home.config, path));
			writeWholeSync(join(home.config, path), text);
		}
		const own = userSettings ? { TMPDIR: home.tmp } : { TMPDIR: home.tmp, HOME: home.home };
		const totals = keep === null || adapter.cumulative !== true ? null : join(keep, "pawl-used.json");
		const outcome = await runProgram(
			{
				command: placed(program),
				args: [...(command ?? []).slice(1), ...launch.args],
				isolate,
				...(request.sandbox === undefined ? {} : { places: [...seen(home), ...placesFor(options, request.sandbox, known)] }),
				prices,
				structured: true,
				...(adapter.exitMeans === undefined ? {} : { exitMeans: adapter.exitMeans }),
				...(totals === null ? {} : { adjust: (said) => sinceLast(totals, said) }),
			},
			{
				...request,
				env: { ...request.env, ...pickEnv(user, adapter.env), ...launch.env, ...own, ...env },
				secrets: [...request.secrets, ...secretsOf(env)],
			},
			signal,
		);
		return keep === null || outcome.sessionId === null ? outcome : { ...outcome, resumable: true };
	} finally {
		home.close();
	}
}

/** Its home by itself, too: what links it has is there only if the sandbox does not make an empty one in its place. */
const seen = ({ base, home, tmp, config }: Home): Place[] => [base, home, tmp, config].map(write);

/** A login may be renewed, so it is written to. */
function placesFor({ adapter, settings, mcp = null }: CliOptions, sandbox: Sandbox, known: Variables): Place[] {
	const own = settings === "user" ? adapter.folders(known) : adapter.credentials(known).map(({ file }) => file);
	return [...own.map(write), ...(adapter.reads?.(known) ?? []).map(read), ...mcpPlaces(mcp, sandbox)];
}

const TOTALS_BYTES = 64 * 1024;

/** What a continued session used since the previous attempt, whose totals are in this file. */
function sinceLast(file: string, said: AgentOutput): AgentOutput {
	const { sessionId, usage, cachedTokens } = said;
	if (sessionId === null || usage.inputTokens === null) return said;
	let before: { sessionId?: unknown; inputTokens?: unknown; outputTokens?: unknown; cachedTokens?: unknown } = {};
	try {
		before = JSON.parse(textIn(file, { max: TOTALS_BYTES }) ?? "{}");
	} catch {
		// This is the first attempt of the session.
	}
	try {
		writeWholeSync(file, JSON.stringify({ sessionId, inputTokens: usage.inputTokens, outputTokens: usage.outputTokens, cachedTokens }));
	} catch {
		// The next attempt then counts too much rather than too little.
	}
	if (before.sessionId !== sessionId) return said;
	return {
		...said,
		usage: {
			...usage,
			inputTokens: minus(usage.inputTokens, before.inputTokens),
			outputTokens: minus(usage.outputTokens, before.outputTokens),
		},
		cachedTokens: minus(cachedTokens, before.cachedTokens),
	};
}
