// The options of a run, as a front end passes them. They are checked against the workflow once that is loaded.

import type { Wish } from "../../core/assign/assignment.ts";
import { sessionTypes } from "../../core/assign/works.ts";
import { closest } from "../../core/closest.ts";
import type { Definition } from "../../core/definition.ts";
import type { FlagValue } from "../../reader.ts";
import { Refusal } from "../refusal.ts";

export interface StartOptions {
	/** Flags that formats declare, by the name of their value. */
	readonly flags?: Readonly<Record<string, FlagValue>>;
	/** Stories at the same time. */
	readonly agents?: number;
	readonly agent?: string;
	readonly agentCommand?: string;
	readonly script?: string;
	/** Of all steps; a model of the agent, or a tier. */
	readonly model?: string;
	readonly effort?: string;
	/** Step type or role → what it gets instead. */
	readonly only?: Readonly<Record<string, Wish>>;
	readonly role?: Readonly<Record<string, { readonly agent: string; readonly model: string | null }>>;
	readonly fallback?: readonly string[];
	readonly base?: string;
	/** Step type → milliseconds. */
	readonly timeout?: Readonly<Record<string, number>>;
	readonly maxCost?: number;
	readonly maxTime?: number;
	/** A session that does not report its cost does not stop a run with a cost limit. */
	readonly allowUnknownCost?: boolean;
	readonly maxWait?: number;
	readonly sharedDir?: string;
	readonly maxIterations?: number;
	readonly delay?: number;
	readonly push?: boolean;
	/** The run ends in a pull request: it may push, and base is not moved. */
	readonly pr?: boolean;
	/** pawl may comment on the issues that the run works on. */
	readonly comment?: boolean;
	readonly yes?: boolean;
	/** A new run even if one on the same file is unfinished. */
	readonly fresh?: boolean;
	/** none, bwrap or container, instead of what pawl.yml says. */
	readonly sandbox?: string;
	/** false: the run delivers without checks. */
	readonly checks?: boolean;
}

/** Why a name is neither a role nor the type of a step that an agent does, with what may have been meant. */
export function noSuchWork(name: string, definition: Definition): string {
	const types = sessionTypes(definition);
	const roles = Object.keys(definition.roles);
	if (Object.hasOwn(definition.types, name)) return `pawl does the step ${name} itself; steps of agents are ${types.join(", ")}`;
	const meant = closest(name, [...types, ...roles]);
	const hint = meant === null ? "" : `, did you mean ${meant}?`;
	return `there is no step type or role ${name}${hint} (step types: ${types.join(", ")}; roles: ${roles.join(", ")})`;
}

/** Checks names of step types and roles, which are known only once the workflow is loaded. */
export function checkOptions(options: StartOptions, definition: Definition): void {
	const types = Object.keys(definition.types);
	const roles = Object.keys(definition.roles);
	const kinds = Object.values(definition.types);
	const loops = kinds.some((type) => type.kind === "loop");
	const wrong = [
		...(options.delay !== undefined && !loops ? [`--delay: the workflow ${definition.name} has no loop`] : []),
		...(options.maxIterations !== undefined && !loops && !Object.hasOwn(definition.budgets, "iterations")
			? [`--max-iterations: the workflow ${definition.name} has no loop and no budget of iterations`]
			: []),
		...(options.push && !options.pr && !kinds.some((type) => type.action?.startsWith("forge."))
			? [`--push: the workflow ${definition.name} pushes nothing`]
			: []),
		...Object.keys(options.timeout ?? {}).flatMap((type) =>
			types.includes(type) ? [] : [`--timeout: there is no step type ${type}; there are ${types.join(", ")}`],
		),
		...Object.keys(options.role ?? {}).flatMap((name) =>
			roles.includes(name) ? [] : [`--role: there is no role ${name}; there are ${roles.join(", ")}`],
		),
		...Object.entries(options.only ?? {}).flatMap(([name, wish]) =>
			roles.includes(name) || sessionTypes(definition).includes(name)
				? []
				: [
						`${Object.keys(wish)
							.map((key) => `--${key} ${name}=…`)
							.join(", ")}: ${noSuchWork(name, definition)}`,
					],
		),
	];
	if (wrong.length > 0) throw new Refusal("invalid", wrong.join("\n"));
}
