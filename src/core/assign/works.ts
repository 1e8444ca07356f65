// The kinds of work that a workflow has for agents: each step type with each role that has a session in it.

import type { Definition, StepType } from "../definition.ts";
import type { Layer } from "./assignment.ts";

export interface WorkKind {
	readonly type: string;
	readonly role: string;
}

const rolesIn = ({ role, members = [], loop }: StepType): string[] => [
	...new Set([
		...(role === undefined ? [] : [role]),
		...members.map((m) => m.role),
		...Object.values(loop?.roles ?? {}).map((r) => r.role),
	]),
];

export function worksOf({ types }: Definition): WorkKind[] {
	return Object.entries(types).flatMap(([type, step]) => rolesIn(step).map((role) => ({ type, role })));
}

/** The types of steps that agents do. */
export const sessionTypes = (definition: Definition): string[] => [...new Set(worksOf(definition).map(({ type }) => type))];

/** Who should do what, as the workflow suggests. It cannot know the agent. */
export function workflowLayer({ types, roles }: Definition): Layer {
	return { from: "workflow", roles, steps: types, anyAgent: true };
}
