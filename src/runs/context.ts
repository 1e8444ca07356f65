// What a front end gives the application: the current folder, the time, and the implementations behind the contracts.
import type { AgentInfo, BroughtLog, KeptBrought } from "../agent.ts";
import type { FormatCommand } from "../command.ts";
import type { Config } from "../config.ts";
import type { Definition } from "../core/definition.ts";
import type { Event } from "../core/event.ts";
import type { RunState } from "../core/model.ts";
import type { SandboxSettings } from "../core/sandbox/sandbox.ts";
import type { AgentSpec } from "../core/started-with.ts";
import type { Names } from "../definition/check/names.ts";
import type { Language } from "../definition/load.ts";
import type { Dispatch } from "../dispatch.ts";
import type { runCheck } from "../engine/attempt/checks.ts";
import type { ChosenAgent, EngineParts } from "../engine/parts.ts";
import type { Forge } from "../forge.ts";
import type {
	Action,
	ControlFiles,
	Evidence,
	FoundInput,
	Keeper,
	KeptStory,
	NewRun,
	Projection,
	StateFile,
	StoriesNow,
	WriteRule,
} from "../format.ts";
import type { ChangedFile, Reader, RunFlag } from "../reader.ts";
import type { Clone, NoClone, PersonsCheckout } from "../remote.ts";
import type { DatabaseFinding, Rows, SharedStore, Store } from "../store.ts";
import type { Telemetry } from "../telemetry.ts";
import type { History, Repository } from "../workspace.ts";

/** `wiring.ts` puts the implementations in. */
export interface Services {
	readonly version: string;
	openRepository(
		cwd: string,
		config: (root: string) => Pick<Config, "setup" | "copy" | "link">,
	): Promise<Repository | { readonly problem: string; readonly root?: string }>;
	/** The same as far as a command needs it that only looks. */
	openHistory(cwd: string): Promise<History | { readonly problem: string }>;
	openStore(file: string): Store;
	/** The store of a database that machines share. Waits for one that is away; `warn` is told once each time. `worker`: the id of the worker that this process is. */
	openShared(url: string, warn: (text: string) => void, worker?: string): Promise<SharedStore>;
	/** What is right and wrong with a database that machines share; never throws for what is wrong. */
	examineDatabase(url: string): Promise<readonly DatabaseFinding[]>;
	/** The roles of workers and people in that database: made, with their rights. Returns why that is not possible, or null. */
	makeRoles(url: string): Promise<string | null>;
	/** The same, for somebody else to run. */
	rolesSql(): Promise<string>;
	/** This machine's own clone of the repository that machines share; made, or brought up to date. */
	openClone(address: string, folder: string): Promise<Clone | NoClone>;
	/** A person's checkout of that repository. `remote`: its address. */
	openPersonsCheckout(cwd: string, remote: string): Promise<PersonsCheckout | { readonly problem: string }>;
	/** The clone as a repository whose base is the remote's. */
	openSharedRepository(
		clone: Clone,
		config: (root: string) => Pick<Config, "setup" | "copy" | "link">,
	): Promise<Repository | { readonly problem: string }>;
	/** Who works on which lane, in a database that machines share. `silentMs`: how long a worker may be silent before others get its lanes. */
	openDispatch(url: string, warn: (text: string) => void, silentMs?: number): Promise<Dispatch>;
	/** An exclusive lock named by a file; null while another process holds it. It ends with its owner's process. */
	lockFile(file: string): { release(): void } | null;
	/** For reading only: null if there is no such file; does not create one. */
	openReader(file: string): Store | null;
	makeAgent(spec: AgentSpec, config: Config, root: string): Promise<ChosenAgent | { readonly problem: string }>;
	/** Keeps the log of an attempt that pawl did not start; returns a problem, or null. */
	keepBrought(file: string, log: BroughtLog): Promise<KeptBrought>;
	/** Agents that need no configuration: their name is enough. */
	knownAgents(): Promise<readonly AgentInfo[]>;
	/** The files that a run keeps in the formats of the documents. */
	projections(sharedDir: string, root: string): (state: RunState, warn: (text: string) => void) => readonly Projection[];
	/** A file of the run that somebody changed since pawl wrote it, and whether pawl can adopt it; null if there is none. */
	changedByHand(sharedDir: string, root: string, events: readonly Event[]): Promise<ChangedFile | null>;
	/** Files, below a tree, that hold the state of a run and may come from elsewhere. */
	readonly stateFiles: Readonly<Record<string, StateFile>>;
	/** Flags of `pawl run` that formats declare, by the name of their value. */
	readonly flags: Readonly<Record<string, RunFlag>>;
	/** Commands of formats, by name. */
	readonly commands: Readonly<Record<string, FormatCommand>>;
	/** The extensions that a definition may name. */
	readonly actions: Readonly<Record<string, Action>>;
	readonly evidence: Readonly<Record<string, Evidence>>;
	readonly keepers: Readonly<Record<string, Keeper>>;
	readonly writeRules: Readonly<Record<string, WriteRule>>;
	readonly controlFiles: Readonly<Record<string, ControlFiles>>;
	readonly readers: Readonly<Record<string, Reader>>;
	/** The names of all of these, and of the files that a run can keep: what `workflow validate` checks against. */
	readonly names: Names;
	/** What a workflow is loaded with. */
	readonly language: Language;
	/** What formats add to their own runs. */
	readonly promptAdditions: NonNullable<EngineParts["promptAdditions"]>;
	readonly sessionEnv: NonNullable<EngineParts["sessionEnv"]>;
	newRunInput(run: NewRun): Promise<Readonly<Record<string, string>>>;
	/** Files of the user's checkout that a run changes itself. */
	userFiles(of: Pick<RunState, "input">): readonly string[];
	/** The stories of a run that keeps them in a file, not in the journal. */
	keptStories(state: RunState): Promise<readonly KeptStory[]>;
	/** What lies in a checkout that a run could start with. */
	inputsIn(tree: string): Promise<readonly FoundInput[]>;
	/** Says in the files of the run's format that a person took back what these stories delivered. */
	undone(state: RunState, stories: readonly string[], warn: (text: string) => void): Promise<void>;
	/** Why no agent of the run can read a person's message; null if they can. */
	deaf(state: RunState): string | null;
	/** The stories of the run's list as it is now; null if the run has no list that may change. */
	storiesNow(state: RunState): Promise<StoriesNow | null>;
	/** The workflow of `pawl "REQUEST"`. */
	readonly oneShotWorkflow: string;
	rows(before: RunState | null, after: RunState): Rows | null;
	agentIds(workflow: string, role: string): readonly string[];
	notifyAddress(definition: Definition): string | null;
	/** Where pull requests can be opened, best first. */
	readonly forges: readonly Forge[];
	/** Runs a check, if not in a process of its own: tests. */
	readonly runCheck?: typeof runCheck;
	/** How this machine isolates the processes of an agent: bwrap, unshare or none. */
	isolation(): Promise<string>;
	/** Traces and metrics, if the environment asks for them; null: nobody wants them. What a failure is told to is called once. */
	openTelemetry(env: NodeJS.ProcessEnv, warn: (text: string) => void): Telemetry | null;
	/** Why such a sandbox does not work on this machine, with what to do about it; null if it works. */
	sandboxProblem(settings: SandboxSettings): Promise<string | null>;
	/** Who runs this process, and the marks of the sessions and checks of pawl that started it; none for a person. */
	caller(): { readonly user: string; readonly marks: readonly string[] };
	/** Values of the environment that pawl must not write anywhere. */
	secretsIn(env: NodeJS.ProcessEnv): readonly string[];
	agentEnv(config: Config, env: NodeJS.ProcessEnv): { readonly env: Record<string, string>; readonly secrets: readonly string[] };
}

export interface RunsContext {
	readonly cwd: string;
	/** The address of the database that machines share; without it, runs are in a file of the repository. */
	readonly db?: string;
	readonly env: NodeJS.ProcessEnv;
	readonly services: Services;
	readonly now: () => number;
	/** Whoever makes the context closes it. */
	readonly telemetry?: Telemetry | undefined;
	/** Tells the user something that is neither a result nor a refusal. */
	warn(text: string): void;
	/** The name of the front end, for the journal; the command line is "cli". */
	readonly how?: string;
	/** The command line that starts another pawl process, for a run in the background. */
	readonly self: readonly string[];
}
