// What an engine is made of. `wiring.ts` chooses the implementations; tests choose others.
import type { Agent, BroughtLog } from "../agent.ts";
import type { Event } from "../core/event.ts";
import type { RunState } from "../core/model.ts";
import type { Forge } from "../forge.ts";
import type { Action, ControlFiles, Evidence, Keeper, Projection, PromptContext, WriteRule } from "../format.ts";
import type { PromptAdditions } from "../prompt/additions.ts";
import type { Repository } from "../workspace.ts";
import type { Processes } from "./attempt/checks.ts";
import type { Clock } from "./clock.ts";

export interface ChosenAgent {
	readonly agent: Agent;
	readonly model: string | null;
}

/** Something that a person who walked away wants to know. */
export interface Notice {
	readonly run: string;
	readonly about: "waiting" | "finished" | "budget";
	readonly text: string;
}

export interface EngineParts {
	/** Absolute; where the run's files are. */
	readonly sharedDir: string;
	/** The file of the store, for what attempts start to look at it (`pawl mcp`); without it they have no inbox. */
	readonly database?: string;
	readonly repository: Repository;
	/** The agent of a role, then those that stand in for it while it is at a limit. */
	readonly agentsFor: (role: string) => readonly [ChosenAgent, ...ChosenAgent[]];
	/** What a definition may name. */
	readonly actions: Readonly<Record<string, Action>>;
	readonly evidence?: Readonly<Record<string, Evidence>>;
	readonly keepers?: Readonly<Record<string, Keeper>>;
	readonly writeRules?: Readonly<Record<string, WriteRule>>;
	readonly controlFiles?: Readonly<Record<string, ControlFiles>>;
	readonly projections: (state: RunState, warn: (text: string) => void) => readonly Projection[];
	/** Commands that the engine runs itself, by name. */
	readonly checks: Readonly<Record<string, string>>;
	/** What prompts say about lint and test: the checks, else what was detected. */
	readonly hints: { readonly lint: string | null; readonly test: string | null };
	/** The environment that agents and checks get, before what belongs to the attempt. */
	readonly env: Readonly<Record<string, string>>;
	readonly secrets: readonly string[];
	readonly stallMs: number | null;
	readonly isolate: boolean;
	readonly clock: Clock;
	/** Real processes where nothing is said. */
	readonly processes?: Processes;
	/** Where pull requests can be opened, best first. */
	readonly forges?: readonly Forge[];
	/** What the format of the run adds to its prompts, and to the environment of its attempts. */
	readonly promptAdditions?: (of: PromptContext) => Promise<PromptAdditions | null>;
	readonly sessionEnv?: (state: RunState) => Readonly<Record<string, string>>;
	/** Sees every committed event with the state after its commit. */
	readonly onEvents?: (events: readonly Event[], state: RunState) => void;
	readonly notify?: (notice: Notice) => Promise<void>;
	/** Keeps the log of an attempt that was not started by us; answers with what is wrong, or null. */
	readonly keepBrought?: (file: string, log: BroughtLog) => string | null;
	/** Things to tell that are no events: warnings. */
	readonly onWarning?: (text: string) => void;
	/** Tests: called at every boundary between an effect and its note; may end the process. */
	readonly crashPoint?: (name: string) => void;
}
