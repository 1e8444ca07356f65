// The first input of a run: the definition and all options, frozen.
import { randomInt } from "node:crypto";
import { loopLimits } from "../../core/decide/extend.ts";
import type { Input } from "../../core/input.ts";
import { type StartedWith, toShell } from "../../core/started-with.ts";
import type { Prepared } from "./prepare.ts";

export function newRunId(at: number): string {
	const stamp = new Date(at).toISOString().replaceAll(/[-:]/g, "").replace("T", "-").slice(0, 15);
	return `${stamp}-${randomInt(36 ** 4)
		.toString(36)
		.padStart(4, "0")}`;
}

export function createInput(
	p: Prepared,
	id: string,
	at: number,
	slots: readonly number[],
	started: StartedWith,
	agents: number = slots.length,
): Extract<Input, { type: "create_run" }> {
	const { options, config } = p;
	const cost = options.maxCost ?? config.limits.costUsd;
	const time = options.maxTime ?? config.limits.timeMs;
	return {
		type: "create_run",
		at,
		id,
		title: p.title,
		definition: p.definition,
		options: {
			mode: p.mode,
			agents,
			slots,
			base: p.base,
			yes: options.yes ?? false,
			maxWaitMs: options.maxWait ?? null,
			timeouts: { ...config.timeouts, ...options.timeout },
			budgets: {
				...(cost === null ? {} : { cost }),
				...(time === null ? {} : { time }),
				...(options.maxIterations !== undefined && Object.hasOwn(p.definition.budgets, "iterations")
					? { iterations: options.maxIterations }
					: {}),
			},
			...(options.allowUnknownCost ? { allowUnknownCost: true } : {}),
			...((options.comment ?? config.comment) ? { comments: true as const } : {}),
			...(options.maxIterations === undefined ? {} : { ownLimits: loopLimits(p.definition) }),
			shell: toShell(started),
		},
		input: p.input,
		fields: { ...p.definition.fields, ...p.fields },
		stories: p.stories,
	};
}
