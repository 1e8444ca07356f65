// What a command gets: where it runs, where it prints, and the services that `wiring.ts` puts behind the contracts.
import type { Command } from "commander";
import type { Agent, AgentInfo, BroughtLog } from "../agent.ts";
import type { Config } from "../config.ts";
import type { Event } from "../core/event.ts";
import type { RunState } from "../core/model.ts";
import type { Names } from "../definition/names.ts";
import type { Forge } from "../forge.ts";
import type { Action, Changed, ControlFiles, Evidence, Keeper, Projection, Reader, WriteRule } from "../format.ts";
import type { Store } from "../store.ts";
import type { Repository } from "../workspace.ts";

/** Few codes, mapped once: usage or bad input 2, failed 1, waits for a person 3, stopped by a budget 4. */
export const EXIT = { ok: 0, failed: 1, usage: 2, waits: 3, budget: 4, rateLimited: 75, interrupted: 130, terminated: 143 } as const;

/** An expected failure: one clear message, an exit code, no stack. */
export class CliError extends Error {
	override name = "CliError";
	readonly exitCode: number;

	constructor(message: string, exitCode: number = EXIT.usage) {
		super(message);
		this.exitCode = exitCode;
	}
}

/** How an agent was chosen, kept with the run so that a resume uses the same. */
export interface AgentChoice {
	/** claude, codex, opencode, gemini, command, scripted, or a name from pawl.yml. */
	readonly agent: string;
	readonly command: string | null;
	readonly script: string | null;
	readonly model: string | null;
}

export interface Services {
	readonly version: string;
	openRepository(
		cwd: string,
		config: (root: string) => Pick<Config, "setup" | "copy" | "link">,
	): Promise<Repository | { readonly problem: string }>;
	openStore(file: string): Store;
	/** The right to change what a file stands for; null while another process has it. It dies with its owner. */
	lockFile(file: string): { release(): void } | null;
	/** null where there is no such file; creates nothing. */
	openReader(file: string): Store | null;
	makeAgent(
		choice: AgentChoice,
		config: Config,
		root: string,
	): Promise<{ readonly agent: Agent; readonly model: string | null } | { readonly problem: string }>;
	/** Keeps the log of an attempt that was not started by us; answers with what is wrong, or null. */
	keepBrought(file: string, log: BroughtLog): string | null;
	/** Those that can be used by their names alone. */
	knownAgents(): Promise<readonly AgentInfo[]>;
	/** The files that a run keeps in the formats of the documents. */
	projections(sharedDir: string, root: string): (state: RunState) => readonly Projection[];
	/** A file of the run that is not what was last written to it, and whether it can be taken over. null where there is none. */
	changedByHand(sharedDir: string, root: string, events: readonly Event[]): Promise<Changed | null>;
	/** What a definition may name. */
	/** Files, below a tree, that hold the state of a run and may come from elsewhere → the reader that knows them. */
	readonly stateFiles: Readonly<Record<string, string>>;
	readonly actions: Readonly<Record<string, Action>>;
	readonly evidence: Readonly<Record<string, Evidence>>;
	readonly keepers: Readonly<Record<string, Keeper>>;
	readonly writeRules: Readonly<Record<string, WriteRule>>;
	readonly controlFiles: Readonly<Record<string, ControlFiles>>;
	readonly readers: Readonly<Record<string, Reader>>;
	/** All of that by name, and the files that a run can keep: what `workflow validate` knows. */
	readonly names: Names;
	/** Where pull requests can be opened, best first. */
	readonly forges: readonly Forge[];
	/** How processes of agents are kept together here: bwrap, unshare or none. */
	isolation(): Promise<string>;
	agentEnv(config: Config, env: NodeJS.ProcessEnv): { readonly env: Record<string, string>; readonly secrets: readonly string[] };
}

/** A command, loaded only when it is used. */
export interface CommandEntry {
	readonly summary: string;
	readonly load: () => Promise<{ readonly command: (c: Context) => Command }>;
}

export interface Context {
	/** All commands by name, for those that tell about the others. */
	readonly commands: Readonly<Record<string, CommandEntry>>;
	readonly cwd: string;
	readonly env: NodeJS.ProcessEnv;
	readonly services: Services;
	readonly now: () => number;
	/** What the process will exit with. */
	exit(code: number): void;
	exitCode(): number;
	out(text: string): void;
	err(text: string): void;
	readonly outIsTty: boolean;
	readonly errIsTty: boolean;
	readonly width: number;
	/** Told which command is run when another pawl process has to be started (detach). */
	readonly self: readonly string[];
}
