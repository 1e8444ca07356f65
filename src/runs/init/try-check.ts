// Tries a check once, as runs do: in the checkout, with the environment of a run, ended with all of its processes if it is interrupted.
import type { Config } from "../../config.ts";
import type { Sandbox, SandboxSettings } from "../../core/sandbox/sandbox.ts";
import { runCheck } from "../../engine/attempt/checks.ts";
import { withoutPlaceholders } from "../../toolchain/checks.ts";
import type { RunsContext } from "../context.ts";
import { configOf, findRepository } from "../repository.ts";
import { confiner, refuseNoSandbox } from "../sandbox.ts";

/** Exit codes of a shell that cannot start a command. */
const CANNOT_START = [126, 127];
const SHOWN_LINES = 8;

export interface Tried {
	readonly how: "passed" | "failed" | "cannot_start" | "did_not_end";
	readonly exitCode: number | null;
	readonly ms: number;
	/** The last lines that it printed. */
	readonly tail: readonly string[];
}

export async function tryCheck(c: RunsContext, root: string, name: string, command: string, signal: AbortSignal): Promise<Tried> {
	const config = await configOf(c, root);
	const { env, secrets } = c.services.agentEnv(config, c.env);
	const begun = c.now();
	const mark = `init:${process.pid}`;
	const sandbox = config.sandbox === null ? undefined : await sandboxFor(c, config, config.sandbox, root);
	const settings = { cwd: root, env, mark, isolate: true, sandbox, signal, secrets };
	const { exitCode, output } = await (c.services.runCheck ?? runCheck)(name, withoutPlaceholders(command), settings);
	return { how: howOf(exitCode), exitCode, ms: c.now() - begun, tail: linesOf(output).slice(-SHOWN_LINES) };
}

async function sandboxFor(c: RunsContext, config: Config, settings: SandboxSettings, root: string): Promise<Sandbox> {
	await refuseNoSandbox(c, settings);
	return confiner(c, settings, { repository: await findRepository(c), config, sharedDir: null })(root, "check");
}

const linesOf = (output: string): string[] => output.split("\n").filter((line) => line.trim() !== "");

function howOf(exitCode: number | null): Tried["how"] {
	if (exitCode === null) return "did_not_end";
	if (exitCode === 0) return "passed";
	return CANNOT_START.includes(exitCode) ? "cannot_start" : "failed";
}
