// What `pawl init` decides without asking anybody, and what it suggests to do next. Pure.
import { DEFAULT_AGENT } from "../../core/assign/assignment.ts";
import type { FoundInput } from "../../format.ts";
import type { RepositoryFacts } from "./facts.ts";

/** What goes into pawl.yml; null: the key stays out. */
export interface ConfigChoices {
	readonly agent: string | null;
	readonly lint: string | null;
	readonly test: string | null;
	readonly setup: string | null;
}

export const CHECKS = ["lint", "test"] as const;
export type CheckName = (typeof CHECKS)[number];

export const choicesFrom = (facts: RepositoryFacts): ConfigChoices => ({
	agent: agentToWrite(facts, suggestedAgent(facts)),
	lint: facts.lint,
	test: facts.test,
	setup: facts.setup,
});

/** The user's own choice; else one that is installed: preferably with a sign of a login, preferably the default. */
export function suggestedAgent({ agents, ownAgent }: Pick<RepositoryFacts, "agents" | "ownAgent">): string {
	if (ownAgent !== null) return ownAgent;
	const ready = agents.filter(({ loggedIn }) => loggedIn !== null);
	const names = (ready.length > 0 ? ready : agents).map(({ name }) => name);
	return names.includes(DEFAULT_AGENT) ? DEFAULT_AGENT : (names[0] ?? DEFAULT_AGENT);
}

/** null if a run would choose this agent anyway. */
export const agentToWrite = ({ ownAgent }: Pick<RepositoryFacts, "ownAgent">, agent: string): string | null =>
	agent === (ownAgent ?? DEFAULT_AGENT) ? null : agent;

const REQUESTS: readonly FoundInput[] = [
	{ text: "then say what is to be done", command: 'pawl "REQUEST"' },
	{ text: "or turn a larger idea into a list of small stories first", command: 'pawl plan "IDEA"' },
];

/** What to type after `pawl init`. */
export const nextSteps = ({ inputs }: Pick<RepositoryFacts, "inputs">): readonly FoundInput[] => [
	{ text: "commit it: a run on a request wants a tree without changes", command: 'git add pawl.yml && git commit -m "Add pawl.yml"' },
	...(inputs.length > 0 ? inputs : REQUESTS),
];
