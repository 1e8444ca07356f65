// The agent `command`: any program that reads a prompt from stdin and prints its answer to stdout.
import { resolve } from "node:path";
import type { Agent } from "../../agent.ts";
import { findExecutable } from "../../process.ts";
import type { Prices } from "./price.ts";
import { runProgram } from "./run.ts";

export interface CommandOptions {
	readonly name: string;
	readonly argv: readonly string[];
	readonly isolate: boolean;
	readonly prices?: Prices | null;
}

export function commandAgent({ name, argv, isolate, prices = null }: CommandOptions): Agent {
	const [first = "", ...args] = argv;
	const command = placed(first);
	return {
		name,
		problem: async () => (command === "" ? `the agent ${name} has no command` : notThere(name, first)),
		run: (request, signal) => runProgram({ command, args, isolate, prices }, request, signal),
	};
}

/** Resolves a path from where the person is, not from the workspace in which the agent will run. */
export const placed = (command: string): string => (command.includes("/") ? resolve(command) : command);

export function notThere(name: string, command: string): string | null {
	const found = findExecutable(placed(command), process.cwd(), process.env["PATH"] ?? "");
	return found === null ? `the agent ${name} cannot be started: ${command} is not found or not executable` : null;
}
