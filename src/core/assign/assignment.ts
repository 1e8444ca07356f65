// Who does a step, with which model and how much effort. Several places may say it: flags, pawl.yml, the user's own pawl.yml, the workflow.
// This file decides which of them counts; everybody else is given the result.

/** Names for models that a workflow can use without knowing the agent. Users map them to models of their agents. */
export const TIERS = ["fast", "standard", "strong"] as const;
export type Tier = (typeof TIERS)[number];

export const isTier = (model: string): model is Tier => (TIERS as readonly string[]).includes(model);

/** What a place says about one step type, one role, or everything. `model` is a model of the agent, or a tier. */
export interface Wish {
	readonly agent?: string;
	readonly model?: string;
	readonly effort?: string;
}

/** Everything that one place says. */
export interface Layer {
	/** How a person calls the place: "--model", "pawl.yml". */
	readonly from: string;
	readonly all?: Wish;
	readonly roles?: Readonly<Record<string, Wish>>;
	readonly steps?: Readonly<Record<string, Wish>>;
	/** It names models without knowing which agent will be used: they count for any. */
	readonly anyAgent?: boolean;
}

/** What a tier means for one agent. */
export interface TierModel {
	readonly model: string | null;
	readonly effort: string | null;
}
export type TierModels = Readonly<Partial<Record<Tier, TierModel>>>;

export interface Assignment {
	readonly agent: string;
	/** null: the agent's own default. */
	readonly model: string | null;
	readonly effort: string | null;
	/** The tier that was asked for, mapped or not. */
	readonly tier: Tier | null;
	/** Which place decided; null: nobody said anything. */
	readonly from: { readonly agent: string | null; readonly model: string | null; readonly effort: string | null };
}

/** `type` and `role` are null for what a step gets of which nobody says anything in particular. */
export interface Work {
	readonly type: string | null;
	readonly role: string | null;
}

export const DEFAULT_AGENT = "claude";

interface Entry extends Wish {
	readonly from: string;
	readonly anyAgent: boolean;
	/** 2: about the step type; 1: about the role; 0: about everything. */
	readonly level: number;
}

/** The first layer that says something wins, and in it the step type over the role over everything. */
export function assign(work: Work, layers: readonly Layer[], tiersOf: (agent: string) => TierModels): Assignment {
	const entries = layers.flatMap((layer) => entriesFor(work, layer));
	const whose = entries.find((entry) => entry.agent !== undefined);
	const agent = whose?.agent ?? DEFAULT_AGENT;
	const modelAt = entries.findIndex((entry, i) => entry.model !== undefined && isFor(agent, entries, i));
	const effortAt = entries.findIndex((entry) => entry.effort !== undefined);
	const wanted = entries[modelAt]?.model ?? null;
	const tier = wanted !== null && isTier(wanted) ? wanted : null;
	const mapped = tier === null ? null : (tiersOf(agent)[tier] ?? null);
	// The effort of a tier counts as said by whoever named the tier.
	const byTier = mapped !== null && mapped.effort !== null && (effortAt === -1 || modelAt < effortAt);
	return {
		agent,
		model: tier === null ? wanted : (mapped?.model ?? null),
		effort: byTier ? mapped.effort : (entries[effortAt]?.effort ?? null),
		tier,
		from: {
			agent: whose?.from ?? null,
			model: entries[modelAt]?.from ?? null,
			effort: entries[byTier ? modelAt : effortAt]?.from ?? null,
		},
	};
}

function entriesFor({ type, role }: Work, { from, all, roles = {}, steps = {}, anyAgent = false }: Layer): Entry[] {
	const wishes = [all, role !== null && Object.hasOwn(roles, role) ? roles[role] : undefined];
	wishes.push(type !== null && Object.hasOwn(steps, type) ? steps[type] : undefined);
	return wishes.flatMap((wish, level) => (wish === undefined ? [] : [{ ...wish, from, anyAgent, level }])).toReversed();
}

/** A tier is for every agent. A model is for the agent that whoever named it had in mind: the one that would do what the entry is about, if nobody
 * in front of it had chosen another. So `--agent codex` does not hand a model of Claude's from pawl.yml to codex. */
function isFor(agent: string, entries: readonly Entry[], at: number): boolean {
	const entry = entries[at];
	if (entry?.model === undefined || isTier(entry.model)) return true;
	const meant = entries.slice(at).find((other) => other.level <= entry.level && other.agent !== undefined)?.agent;
	return meant === undefined ? entry.anyAgent || agent === DEFAULT_AGENT : meant === agent;
}

/** What an agent that stands in for another uses: a model of the other means nothing to it, a tier does. */
export function standIn(
	{ tier, effort }: { readonly tier?: Tier | undefined; readonly effort?: string | undefined },
	tiers: TierModels,
): { readonly model: string | null; readonly effort?: string; readonly tier?: Tier } {
	const mapped = tier === undefined ? undefined : tiers[tier];
	const own = mapped?.effort ?? effort;
	return { model: mapped?.model ?? null, ...(own === undefined ? {} : { effort: own }), ...(tier === undefined ? {} : { tier }) };
}
