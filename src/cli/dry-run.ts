// --dry-run: the plan and the prompts as they would be at the start, with nothing written or started.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSchedule } from "../core/loop.ts";
import { RUN_SCOPE, type RunState } from "../core/model.ts";
import type { StartedWith } from "../core/started-with.ts";
import { renderTemplate } from "../core/template.ts";
import { transition } from "../core/transition.ts";
import { frameFor, stepPrompt } from "../prompt/step-prompt.ts";
import { detectChecks } from "../toolchain/checks.ts";
import { type Context, EXIT } from "./context.ts";
import { createInput, type Prepared } from "./prepare.ts";
import { table } from "./text.ts";

/** A prompt that is given on as it is. */
function rawText(input: Readonly<Record<string, string>>, name: string): string {
	const file = input[`${name}_file`];
	return file === undefined ? (input[name] ?? "") : readFileSync(file, "utf8");
}

/** The first places of a loop: whose turn it is as long as nothing comes in between. */
const PLACES = 12;

function loopPlan(state: RunState) {
	return Object.entries(state.definition.types).flatMap(([type, { loop }]) => {
		if (loop === undefined) return [];
		const fill = (text: string): string => renderTemplate(text, { ...state.root.fields });
		const schedule = fill(loop.schedule);
		const places = parseSchedule(schedule, Object.keys(loop.roles)) ?? [];
		const [begun = 0, cursor = 0] = [loop.start?.iteration, loop.start?.cursor].map((text) => Number(fill(text ?? "0")));
		const max = Number(fill(loop.max));
		const left = Math.max(0, Math.min(PLACES, Number.isFinite(max) ? max - begun : PLACES));
		const first = places.length === 0 ? [] : Array.from({ length: left }, (_, i) => places[(cursor + i) % places.length] ?? "");
		const [who, role] = Object.entries(state.definition.roles).find(([, { report }]) => report.promise !== undefined) ?? [];
		return [{ type, schedule, begun, max_iterations: max, first, promises: who ?? "", promise: fill(role?.report.promise ?? "") }];
	});
}

export function dryRun(c: Context, p: Prepared): number {
	const { root } = p.repository;
	const inTree = p.definition.inputs[p.mode]?.workspace === "tree";
	const sharedDir = join(root, ".pawl", "runs", "RUN");
	const at = c.now();
	const started: StartedWith = {
		agent: p.agent,
		roles: p.roles,
		fallback: p.fallback,
		sharedDir,
		checks: p.config.checks,
		startCommit: "",
		push: false,
		exclude: [],
		pull: false,
	};
	const slots = Array.from({ length: p.flags.agents ?? p.config.parallel ?? 1 }, (_, i) => i + 1);
	const made = transition(null, createInput(p, "RUN", at, slots, started)).state;
	const state = made && transition(made, { type: "advance", at }).state;
	if (!state) return EXIT.failed;
	const detected = detectChecks(root);
	const plan = state.stories.map((story) => ({ id: story.id, title: story.title, depends_on: story.dependsOn, status: story.status }));
	const story = state.stories.find((s) => s.scope.steps.length > 0);
	const steps = [state.root, ...(story ? [story.scope] : [])].flatMap((scope) => scope.steps.map((step) => ({ scope: scope.id, step })));
	const prompts = steps.flatMap(({ scope, step }) => {
		const type = state.definition.types[step.type];
		const label = scope === RUN_SCOPE ? "run" : scope;
		const values = {
			sharedDir,
			worktree: inTree ? p.repository.tree().path : root,
			branch: p.base,
			baseBranch: state.input["base_branch"] ?? p.base,
			scratchGlobalFile: join(sharedDir, "scratch.md"),
			scratchStoryFile: join(sharedDir, `scratch_${label}.md`),
			editFile: join(sharedDir, "workflow_edits", `${label}.json`),
			scratchGlobal: "",
			scratchStory: "",
			lintCommand: p.config.checks["lint"] ?? detected.lint ?? null,
			testCommand: p.config.checks["test"] ?? detected.test ?? null,
		};
		const one = (prompt: string, role?: string, more?: Readonly<Record<string, string>>) =>
			stepPrompt({
				state,
				scope,
				step,
				promptText: state.definition.prompts[prompt] ?? "",
				frame: frameFor(state.definition, prompt),
				...(role === undefined ? {} : { role }),
				values: { ...values, ...(more ? { more } : {}) },
			});
		const shown = (name: string, prompt: string) => ({ story: label, step: step.id, type: name, prompt });
		if (type?.kind === "loop")
			return Object.entries(type.loop?.roles ?? {}).map(([letter, r]) =>
				shown(
					`${step.type} ${letter} ${r.role}`,
					r.raw === undefined ? one(r.prompt ?? "", r.role, r.fields) : rawText(state.input, r.raw),
				),
			);
		if (type?.kind === "gate")
			return (type.members ?? []).map((m) => shown(`${step.type} ${m.role}`, one(m.prompt ?? type.prompt ?? "", m.role)));
		return type?.kind === "agent" && type.prompt !== undefined ? [shown(step.type, one(type.prompt))] : [];
	});
	const loops = loopPlan(state);
	if (p.flags.json) {
		c.out(
			`${JSON.stringify({ event: "dry_run", workflow: p.definition.name, agent: p.agent, base: p.base, checks: p.config.checks, loops, stories: plan, prompts })}\n`,
		);
		return EXIT.ok;
	}
	c.out(`workflow ${p.definition.name}, agent ${p.agent.agent}, base ${state.input["base_branch"] ?? p.base}\n`);
	for (const [name, command] of Object.entries(p.config.checks)) c.out(`check ${name}: ${command}\n`);
	for (const loop of loops) {
		const more = loop.begun + loop.first.length < loop.max_iterations ? " …" : "";
		c.out(
			`${loop.type}: scheme ${loop.schedule}, ${loop.begun > 0 ? `${loop.begun} done, ` : ""}at most ${loop.max_iterations} in all: ${loop.first.join(" ")}${more}\n`,
		);
		c.out(loop.promise === "" ? "no promise ends them\n" : `until the ${loop.promises} says <promise>${loop.promise}</promise>\n`);
	}
	if (plan.length > 0)
		c.out(`${table(plan.map((s) => [s.id, s.status, s.title, s.depends_on.length > 0 ? `after ${s.depends_on.join(", ")}` : ""]))}\n`);
	else if (loops.length === 0)
		c.out(`${table(state.root.steps.map((s) => [s.id, s.type, state.definition.types[s.type]?.description ?? ""]))}\n`);
	for (const prompt of prompts) c.out(`\n===== ${prompt.story} ${prompt.step} ${prompt.type}\n${prompt.prompt}`);
	c.out("\nnothing was started\n");
	return EXIT.ok;
}
