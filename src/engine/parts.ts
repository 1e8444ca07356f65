// What an engine is given. `wiring.ts` chooses the implementations; tests choose others.
import type { Agent, BroughtLog, KeptBrought } from "../agent.ts";
import type { Event } from "../core/event.ts";
import type { RunState } from "../core/model.ts";
import type { Confined, Sandbox } from "../core/sandbox/sandbox.ts";
import type { Forge } from "../forge.ts";
import type { Action, ControlFiles, DeliveryProof, Evidence, Keeper, Projection, PromptContext, WriteRule } from "../format.ts";
import type { PromptAdditions } from "../prompt/additions.ts";
import type { Accounts, SeatRequest } from "../store.ts";
import type { Repository, Workspace } from "../workspace.ts";
import type { Processes } from "./attempt/checks.ts";
import type { Clock } from "./clock.ts";
import type { Occupants } from "./occupants.ts";

export interface ChosenAgent {
	readonly agent: Agent;
	readonly model: string | null;
	/** Absent: the agent's own default. */
	readonly effort?: string;
	/** What the model was chosen by; the journal keeps it. */
	readonly tier?: string;
}

/** Something that a person who walked away wants to know. */
export interface Notice {
	readonly run: string;
	readonly about: "waiting" | "finished" | "budget";
	readonly text: string;
	/** The run's own scope or a story, and the step that waits for a person. */
	readonly scope: string;
	readonly step?: string;
	/** The step wants an answer in words. */
	readonly asks?: true;
}

/** What an attempt left in its checkout. */
export interface AttemptWork {
	readonly run: string;
	readonly scope: string;
	readonly step: string;
	readonly attempt: number;
	readonly workspace: Workspace;
}

/** Accounts that machines share, from the point of view of this process. */
export interface SharedAccounts extends Pick<Accounts, "limits" | "limit"> {
	/** The account that an agent's sessions draw on here. */
	of(agent: string): string;
	seat(request: Omit<SeatRequest, "ttlMs">, ...rest: Rest<Parameters<Accounts["seat"]>>): ReturnType<Accounts["seat"]>;
}

type Rest<T extends readonly unknown[]> = T extends readonly [unknown, ...infer R] ? R : never;

export interface EngineParts {
	/** Absolute; where the run's files are. */
	readonly sharedDir: string;
	/** The file of the store, which `pawl mcp` reads; without it attempts get no report box. */
	readonly database?: string;
	readonly repository: Repository;
	/** Of all engines of this process that work in this clone. */
	readonly occupants?: Occupants;
	/** The agent of a role in a step of this type, then the ones to use while it is at its usage limit. */
	readonly agentsFor: (role: string, type: string) => readonly [ChosenAgent, ...ChosenAgent[]];
	/** Only for a run that machines share. */
	readonly accounts?: SharedAccounts;
	/** What a definition may name. */
	readonly actions: Readonly<Record<string, Action>>;
	readonly evidence?: Readonly<Record<string, Evidence>>;
	readonly keepers?: Readonly<Record<string, Keeper>>;
	readonly writeRules?: Readonly<Record<string, WriteRule>>;
	readonly controlFiles?: Readonly<Record<string, ControlFiles>>;
	readonly projections: (state: RunState, warn: (text: string) => void) => readonly Projection[];
	/** Commands that the engine runs itself, by name. */
	readonly checks: Readonly<Record<string, string>>;
	/** The lint and test commands that prompts mention: the checks, or else what was detected. */
	readonly hints: { readonly lint: string | null; readonly test: string | null };
	/** The environment of agents and checks, without the variables of the attempt. */
	readonly env: Readonly<Record<string, string>>;
	readonly secrets: readonly string[];
	/** How many bytes of an attempt's log are kept. */
	readonly logMax?: number;
	/** Each attempt has a log of its own, which goes elsewhere from here. */
	readonly ownLogs?: boolean;
	/** How often what is new in such a log is sent. */
	readonly logsEveryMs?: number;
	readonly stallMs: number | null;
	readonly isolate: boolean;
	/** The sandbox of an agent or a check that works in this folder; absent: the run has none. */
	readonly confine?: (cwd: string, who: Confined) => Promise<Sandbox>;
	readonly clock: Clock;
	/** Default: real processes. */
	readonly processes?: Processes;
	/** Where pull requests can be opened, best first. */
	readonly forges?: readonly Forge[];
	/** Files of the user's checkout that this run or another run of the repository writes: they never make it dirty. */
	readonly userFiles?: (state: RunState) => readonly string[] | Promise<readonly string[]>;
	/** What the format of the run adds to its prompts, and to the environment of its attempts. */
	readonly promptAdditions?: (of: PromptContext) => Promise<PromptAdditions | null>;
	readonly sessionEnv?: (state: RunState) => Readonly<Record<string, string>>;
	/** Sees every committed event with the state after its commit. */
	readonly onEvents?: (events: readonly Event[], state: RunState) => void;
	/** What shows that the work is done, from the journal: for the text of a pull request. */
	readonly proofOf?: (state: RunState) => Promise<DeliveryProof>;
	/** Keeps with each commit how it came to be, when the run is over. */
	readonly keepReceipts?: (state: RunState) => Promise<void>;
	readonly notify?: (notice: Notice) => Promise<void>;
	/** Keeps the log of an attempt that pawl did not start; returns a problem, or null. */
	readonly keepBrought?: (file: string, log: BroughtLog) => Promise<KeptBrought>;
	/** Gives the work of an attempt a name by which other machines find it; returns its commit. Only for a run that machines share. */
	readonly publish?: (work: AttemptWork) => Promise<string>;
	/** Warnings for the user, which are not events. */
	readonly onWarning?: (text: string) => void;
	/** For tests: called between an effect and the note that it is done; may end the process. */
	readonly crashPoint?: (name: string) => void;
}
