// The agents of a run as it was started with them. All are made before the first step: a missing one must not be found out in the middle.
import { standIn } from "../../core/assign/assignment.ts";
import { type AgentSpec, everySpec, programOf, type StartedWith, specFor } from "../../core/started-with.ts";
import type { ChosenAgent, EngineParts } from "../../engine/parts.ts";
import type { RunsContext } from "../context.ts";
import { Refusal } from "../refusal.ts";
import type { RunToOpen } from "./open-run.ts";

export async function agentsOf(
	c: RunsContext,
	d: Pick<RunToOpen, "config" | "repository">,
	started: StartedWith,
): Promise<EngineParts["agentsFor"]> {
	// One agent for all specs that differ in their model alone: a scripted agent counts its calls.
	const programs = new Map<string, ChosenAgent>();
	for (const spec of everySpec(started)) {
		const program = programOf(spec);
		const key = JSON.stringify(program);
		if (programs.has(key)) continue;
		const made = await c.services.makeAgent(program, d.config, d.repository.root);
		if ("problem" in made) throw new Refusal("invalid", made.problem);
		programs.set(key, made);
	}
	const chosen = (spec: AgentSpec, { model, effort, tier }: Pick<AgentSpec, "model" | "effort" | "tier">): ChosenAgent => {
		const made = programs.get(JSON.stringify(programOf(spec)));
		if (made === undefined) throw new Error(`the agent ${spec.agent} was not made`);
		return {
			...made,
			model: model ?? made.model,
			...(effort === undefined ? {} : { effort }),
			...(tier === undefined ? {} : { tier }),
		};
	};
	return (role, type) => {
		const spec = specFor(started, type, role);
		return [chosen(spec, spec), ...started.fallback.map((other) => chosen(other, standIn(spec, other.tiers ?? {})))];
	};
}
