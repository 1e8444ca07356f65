// What code that a workflow names is given when it is called: the attempt that it belongs to, and what it may use there.
import type { StepContext } from "../../format.ts";
import type { Point } from "../../workspace.ts";
import { runCheck } from "./checks.ts";
import type { LiveAttempt } from "./live-attempt.ts";

/** An action has no point: it may be done again from anywhere. */
export type ContextOf = Omit<LiveAttempt, "tools" | "type" | "memory" | "point" | "seat"> & { readonly point: Point | null };

/** `env`: what commands that it runs get. */
export function stepContext(a: ContextOf, env: Readonly<Record<string, string>> = a.parts.env): StepContext {
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
		now: a.parts.clock.now,
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
