// The context of a command: what the application needs, and the terminal.
import type { Command } from "commander";
import type { CommandGroup } from "../command.ts";
import type { RunStatus } from "../core/model.ts";
import type { RunsContext } from "../runs/context.ts";
import type { Refusal, RefusalCode } from "../runs/refusal.ts";

export const EXIT = { ok: 0, failed: 1, usage: 2, waits: 3, budget: 4, rateLimited: 75, interrupted: 130, terminated: 143 } as const;

const EXIT_OF_CODE: Readonly<Record<RefusalCode, number>> = {
	invalid: EXIT.usage,
	not_found: EXIT.usage,
	refused: EXIT.usage,
	conflict: EXIT.failed,
	unavailable: EXIT.failed,
	internal: EXIT.failed,
};

/** The only place where a refusal becomes an exit code. */
export const exitOf = ({ code, because }: Refusal): number => (because === null ? EXIT_OF_CODE[code] : exitOfStatus(because));

/** pawl's exit code when a run has halted. */
export function exitOfStatus(status: RunStatus): number {
	switch (status) {
		case "completed":
			return EXIT.ok;
		case "refused":
			return EXIT.usage;
		case "waiting":
		case "paused":
			return EXIT.waits;
		case "limited":
			return EXIT.rateLimited;
		case "stopped":
			return EXIT.budget;
		default:
			return EXIT.failed;
	}
}

/** A command, loaded only when it is used. */
export interface CommandEntry {
	/** The group in which `pawl --help` shows it. */
	readonly group: CommandGroup;
	readonly summary: string;
	readonly load: () => Promise<{ readonly command: (c: Context) => Command }>;
}

export interface Context extends RunsContext {
	/** All commands by name, for completion. */
	readonly commands: Readonly<Record<string, CommandEntry>>;
	/** The exit code of the process. */
	exit(code: number): void;
	exitCode(): number;
	/** From here on, warnings are lines of JSON: the command was given --json. */
	warnInJson(): void;
	out(text: string): void;
	err(text: string): void;
	/** What stands on standard input. */
	input(): AsyncIterable<unknown>;
	readonly outIsTty: boolean;
	readonly errIsTty: boolean;
	readonly width: number;
}
