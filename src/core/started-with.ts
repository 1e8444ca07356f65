// What a run was started with, besides what the core decides on: agents, commands, where its files are. The journal keeps it as
// `options.shell`, so that a resume continues with the same. Only this file knows the keys.
import type { Tier, TierModels } from "./assign/assignment.ts";
import type { CommitStyle } from "./commit-style.ts";
import type { RunOptions } from "./model.ts";
import type { SandboxSettings } from "./sandbox/sandbox.ts";

/** Which agent does the work, as the user chose it. */
export interface AgentSpec {
	/** claude, codex, opencode, gemini, command, scripted, or a name from pawl.yml. Empty: agents fetch their steps. */
	readonly agent: string;
	readonly command: string | null;
	readonly script: string | null;
	readonly model: string | null;
	/** Absent: the agent's own default. */
	readonly effort?: string;
	/** The tier that the model stands for; the model is null if it is not mapped. */
	readonly tier?: Tier;
	/** Of an agent that stands in for others: its models of the tiers. */
	readonly tiers?: TierModels;
}

export interface StartedWith {
	readonly agent: AgentSpec;
	/** Role → its own agent, if it has one. */
	readonly roles: Readonly<Record<string, AgentSpec>>;
	/** Step type → role → its own agent, where that differs from the role's. */
	readonly steps: Readonly<Record<string, Readonly<Record<string, AgentSpec>>>>;
	/** Agents that stand in while another is at a usage limit, in order. */
	readonly fallback: readonly AgentSpec[];
	/** Absolute; where the run's files are. */
	readonly sharedDir: string;
	/** Absolute; the checkout that it was started in, if machines share the run: files of its input are there. Else empty. */
	readonly root: string;
	readonly checks: Readonly<Record<string, string>>;
	/** A person said that the run may deliver without checks. */
	readonly unchecked: boolean;
	/** The commit that base was at. */
	readonly startCommit: string;
	/** The run may push its branch and open a pull request. */
	readonly push: boolean;
	/** The run opens a pull request, and fails to deliver without one. */
	readonly pr: boolean;
	/** The branch that the pull request goes into, if the run's own base is a branch that pawl made for it; else empty. */
	readonly target: string;
	/** Files of the run in the tree that stay out of git. */
	readonly exclude: readonly string[];
	/** pawl removes its files when it succeeds. */
	readonly ephemeral: boolean;
	/** pawl starts no agent: agents claim steps. */
	readonly pull: boolean;
	/** The marks of the sessions of other runs that it was created in; agents there may decide about it. None for a run of a person. */
	readonly within: readonly string[];
	/** The name under which git's settings of its start are kept; empty in runs of earlier versions. */
	readonly settings: string;
	/** How the repository words its commits, as its log showed when the run started; null if it has no clear style. */
	readonly commitStyle: CommitStyle | null;
	/** No merge is checked ahead of its turn. */
	readonly serialMerges: boolean;
	/** The labels of the workers that may work on it, where machines share it. */
	readonly requires: readonly string[];
	/** What its agents, checks and setup run in; null: in none. */
	readonly sandbox: SandboxSettings | null;
}

export const NO_AGENT: AgentSpec = { agent: "", command: null, script: null, model: null };

/** The agent that was chosen for a step of this type and role. */
export function specFor({ agent, roles, steps }: Pick<StartedWith, "agent" | "roles" | "steps">, type: string, role: string): AgentSpec {
	return own(own(steps, type) ?? {}, role) ?? own(roles, role) ?? agent;
}

/** Every agent that the run may start. */
export const everySpec = ({ agent, roles, steps, fallback }: Pick<StartedWith, "agent" | "roles" | "steps" | "fallback">): AgentSpec[] => [
	agent,
	...Object.values(roles),
	...Object.values(steps).flatMap((byRole) => Object.values(byRole)),
	...fallback,
];

/** What is started, whichever model it is told to use. */
export const programOf = ({ agent, command, script }: AgentSpec): AgentSpec => ({ agent, command, script, model: null });

const own = <T>(of: Readonly<Record<string, T>>, name: string): T | undefined => (Object.hasOwn(of, name) ? of[name] : undefined);

/** Runs of earlier versions lack some of the keys. */
export function startedWith({ options }: { readonly options: RunOptions }): StartedWith {
	const {
		agent,
		roles,
		steps,
		fallback,
		sharedDir,
		root,
		checks,
		unchecked,
		startCommit,
		push,
		pr,
		target,
		exclude,
		ephemeral,
		pull,
		within,
		settings,
		commitStyle,
		serialMerges,
		requires,
		sandbox,
	} = options.shell as Partial<StartedWith>;
	return {
		agent: agent ?? NO_AGENT,
		roles: roles ?? {},
		steps: steps ?? {},
		fallback: fallback ?? [],
		sharedDir: sharedDir ?? "",
		root: root ?? "",
		checks: checks ?? {},
		unchecked: unchecked === true,
		startCommit: startCommit ?? "",
		push: push === true,
		pr: pr === true,
		target: target ?? "",
		exclude: exclude ?? [],
		ephemeral: ephemeral === true,
		pull: pull === true,
		within: within ?? [],
		settings: settings ?? "",
		commitStyle: commitStyle ?? null,
		serialMerges: serialMerges === true,
		requires: requires ?? [],
		sandbox: sandbox ?? null,
	};
}

/** In the form of the journal, without unset keys. */
export function toShell({
	root,
	steps,
	pr,
	target,
	exclude,
	pull,
	unchecked,
	ephemeral,
	within,
	settings,
	commitStyle,
	serialMerges,
	requires,
	sandbox,
	...rest
}: StartedWith): RunOptions["shell"] {
	return {
		...rest,
		...(root === "" ? {} : { root }),
		...(Object.keys(steps).length > 0 ? { steps } : {}),
		...(pr ? { pr } : {}),
		...(target === "" ? {} : { target }),
		...(exclude.length > 0 ? { exclude } : {}),
		...(pull ? { pull } : {}),
		...(unchecked ? { unchecked } : {}),
		...(ephemeral ? { ephemeral } : {}),
		...(within.length > 0 ? { within } : {}),
		...(settings === "" ? {} : { settings }),
		...(commitStyle === null ? {} : { commitStyle }),
		...(serialMerges ? { serialMerges } : {}),
		...(requires.length > 0 ? { requires } : {}),
		...(sandbox === null ? {} : { sandbox }),
	};
}
