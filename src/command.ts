// The contract of a format's commands. Flags belong to the command; the terminal, its tables and the exit codes belong
// to `src/cli/`, and operations on runs to `src/runs/`.
import type { Command } from "commander";
import type { Definition } from "./core/definition.ts";
import type { RunState } from "./core/model.ts";
import type { Store } from "./store.ts";
import type { Repository } from "./workspace.ts";

/** The groups of `pawl --help`. */
export type CommandGroup = "run" | "watch" | "decide" | "author" | "plumbing";

/** A command of a format, loaded only when it is used. */
export interface FormatCommand {
	/** One line in `pawl --help`. */
	readonly summary: string;
	/** `author` by default: most commands write or check files of the format. */
	readonly group?: CommandGroup;
	readonly load: () => Promise<{ readonly command: (c: CommandContext) => Command }>;
}

/** A run that could start. */
export interface PreparedRun {
	/** Starts it, shows it until it halts, and prints the summary. */
	follow(how?: FollowHow): Promise<FollowedRun>;
	/** Prints the plan and the prompts instead. */
	show(json: boolean): Promise<void>;
}

export interface FollowHow {
	readonly json?: boolean;
	readonly quiet?: boolean;
	/** stdout is for something else: the summary goes to stderr. */
	readonly apart?: boolean;
}

export interface FollowedRun {
	readonly run: string;
	readonly exit: number;
}

export interface CommandContext {
	readonly cwd: string;
	readonly env: Readonly<Record<string, string | undefined>>;
	/** The command line that starts another pawl process. */
	readonly self: readonly string[];
	now(): number;
	out(text: string): void;
	err(text: string): void;
	warn(text: string): void;
	/** The exit code of the process. */
	exit(code: "failed" | number): void;
	/** Throw it to end the command with this message. `conflict`: the command could work another time. */
	refusal(message: string, code?: "invalid" | "conflict"): Error;

	/** One JSON document, for scripts. */
	json(value: unknown): string;
	/** Rows that fit the terminal. */
	table(rows: readonly (readonly string[])[], indent?: string): string;
	/** Without line breaks and control characters, cut to a width. */
	oneLine(text: string, width: number): string;
	/** A time of day. */
	clock(at: number): string;
	/** Parsers of flag values; they throw errors that the flag parser understands. */
	readonly parse: { duration(text: string): number; count(text: string): number };

	/** The repository around `cwd`; throws a refusal outside of one. */
	repository(): Promise<Repository>;
	/** The runs of a repository, for reading; null if there never was one. The caller closes it. */
	runs(root: string): Promise<Store | null>;
	/** A run by its id, a unique prefix, or `latest`. */
	run(name: string | undefined): Promise<RunState>;
	/** Which of these runs some process drives now. */
	live(root: string, runs: readonly string[]): Promise<readonly string[]>;
	/** Throws a refusal if something outside of these patterns is uncommitted. */
	refuseDirty(repository: Repository, exclude: readonly string[]): Promise<void>;
	/** Throws a refusal if the caller is not a person, because a session or a check of pawl started it. null: no known run. */
	person(run: RunState | null): void;
	/** An exclusive lock named by a file; null while another process holds it. */
	lock(file: string): { release(): void } | null;
	/** Makes `.pawl/` if it is missing. */
	makePawlFolder(root: string): void;
	/** A workflow by its name or path. */
	definition(name: string, root: string): Promise<Definition>;
	/** Whether a role has an agent even if the user names none. */
	hasAgent(role: string): Promise<boolean>;
	/** Reads and checks everything that a run needs, and throws a refusal before it writes anything. Then the run can be started and followed. */
	prepareRun(
		workflow: string,
		given: string,
		flags: Readonly<Record<string, unknown>>,
		how?: { readonly dry?: boolean },
	): Promise<PreparedRun>;
	/** Adds the options of `pawl run` of these names (`max-cost`), and those flags of formats that the command of this name gives. */
	addRunOptions(command: Command, names: readonly string[]): Command;
	/** Values of these options, as `prepareRun` takes them. */
	runFlags(given: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>;
	/** Whether a person can be asked here. */
	canAsk(): boolean;
}
