// The options that a run was started with, as the flags that a person types to start it again in the same way.
import { resolve } from "node:path";
import { formatDuration } from "../../core/duration.ts";
import type { RunFlag } from "../../reader.ts";
import { quoteWord } from "../../text/quote-word.ts";
import type { StartOptions } from "./start-options.ts";

/** Each with a space before it, quoted for a shell; empty if there were none. Files have their whole path: the next start may be elsewhere. */
export function startFlags(options: StartOptions, formats: Readonly<Record<string, RunFlag>>, cwd: string): string {
	const { flags = {}, role = {}, fallback = [], timeout = {} } = options;
	const words = (name: string, value: string | number | undefined): string[] => (value === undefined ? [] : [name, String(value)]);
	const file = (name: string, value: string | undefined): string[] => words(name, value === undefined ? undefined : resolve(cwd, value));
	const time = (name: string, ms: number | undefined): string[] => words(name, ms === undefined ? undefined : formatDuration(ms));
	return [
		...Object.entries(flags).flatMap(([name, value]) => {
			const [flag = ""] = formats[name]?.flag.split(" ") ?? [];
			return flag === "" ? [] : typeof value === "string" ? [flag, value] : [flag];
		}),
		...words("--agents", options.agents),
		...words("--agent", options.agent),
		...words("--agent-command", options.agentCommand),
		...file("--script", options.script),
		...words("--model", options.model),
		...words("--effort", options.effort),
		...Object.entries(options.only ?? {}).flatMap(([name, wish]) =>
			Object.entries(wish).flatMap(([key, value]) => words(`--${key}`, `${name}=${value}`)),
		),
		...Object.entries(role).flatMap(([name, { agent, model }]) => words("--role", `${name}=${agent}${model === null ? "" : `:${model}`}`)),
		...fallback.flatMap((name) => words("--fallback", name)),
		...words("--base", options.base),
		...Object.entries(timeout).flatMap(([type, ms]) => words("--timeout", `${type}=${formatDuration(ms)}`)),
		...words("--max-cost", options.maxCost),
		...(options.allowUnknownCost ? ["--allow-unknown-cost"] : []),
		...time("--max-time", options.maxTime),
		...time("--max-wait", options.maxWait),
		...file("--shared-dir", options.sharedDir),
		...words("--max-iterations", options.maxIterations),
		...time("--delay", options.delay),
		...(options.push ? ["--push"] : []),
		...(options.pr ? ["--pr"] : []),
		...(options.comment ? ["--comment"] : []),
		...words("--sandbox", options.sandbox),
		...(options.yes ? ["--yes"] : []),
		...(options.checks === false ? ["--no-checks"] : []),
	]
		.map((word) => ` ${quoteWord(word)}`)
		.join("");
}
