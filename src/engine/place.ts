// What code that a workflow names is given when it is called: the attempt it belongs to, and what it may use there.
import type { RunState, Step } from "../core/model.ts";
import type { StepContext } from "../format.ts";
import type { Point, Workspace } from "../workspace.ts";
import { runCheck } from "./checks.ts";
import type { EngineParts } from "./parts.ts";

export interface PlaceOf {
	readonly parts: EngineParts;
	readonly state: RunState;
	readonly scope: string;
	readonly step: Step;
	readonly role: string;
	readonly attempt: number;
	readonly workspace: Workspace;
	readonly point: Point | null;
	readonly mark: string;
	readonly signal: AbortSignal;
}

/** `env`: what commands that it runs get. */
export function placeOf(a: PlaceOf, env: Readonly<Record<string, string>> = a.parts.env): StepContext {
	const { state, scope, step, role, attempt, workspace, point, signal, mark } = a;
	const { repository, sharedDir, forges = [], isolate, secrets, checks } = a.parts;
	const run: StepContext["run"] = (command, how = {}) =>
		runCheck(how.name ?? command, command, {
			cwd: how.cwd ?? workspace.path,
			env,
			mark,
			isolate,
			signal,
			secrets,
			...(how.timeoutMs === undefined ? {} : { timeoutMs: how.timeoutMs }),
			...(how.keepBytes === undefined ? {} : { keepBytes: how.keepBytes }),
		});
	return {
		state,
		scope,
		step,
		role,
		attempt,
		workspace,
		point,
		repository,
		sharedDir,
		forges,
		signal,
		now: a.parts.now,
		warn: (text) => a.parts.onWarning?.(text),
		run,
		check: async (names, cwd) => {
			const failed: string[] = [];
			for (const name of names) {
				const command = checks[name];
				if (command === undefined) continue;
				const result = await run(command, { name, cwd });
				const how = result.exitCode === null ? "did not end" : `exited ${result.exitCode}`;
				if (result.exitCode !== 0) failed.push(`${name}: \`${command}\` ${how}\n${result.output.slice(-2000)}`);
			}
			return failed;
		},
	};
}
