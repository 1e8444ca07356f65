// What an extension is given when it is called: the attempt that it belongs to, and what it may use.
import { join } from "node:path";
import { failedFirst, stillFails } from "../../core/check/order.ts";
import { hasPassed } from "../../core/check/passed.ts";
import type { CheckResult } from "../../core/input.ts";
import { RUN_SCOPE } from "../../core/model.ts";
import { findScope, findStep, hasStoryTrees, own, workspaceOf } from "../../core/query.ts";
import type { Sandbox } from "../../core/sandbox/sandbox.ts";
import { startedWith } from "../../core/started-with.ts";
import { EVERY_CHECK, type StepContext } from "../../format.ts";
import { type Point, WorkspaceError } from "../../workspace.ts";
import { realProcesses } from "./checks.ts";
import { FoundTree } from "./found-tree.ts";
import type { LiveAttempt } from "./live-attempt.ts";
import { mergePlaceOf } from "./merge-place.ts";
import { undisturbed } from "./undisturbed.ts";

const MOST_MARKERS = 10;

/** An action has no point: it can be repeated from any state. */
export type ContextOf = Omit<LiveAttempt, "type" | "memory" | "point" | "seat"> & { readonly point: Point | null };

/** `env`: the environment of the commands that it runs. */
export function stepContext(a: ContextOf, env: Readonly<Record<string, string>> = a.parts.env): StepContext {
	const { state, scope, step, role, attempt, workspace, point, signal, mark } = a;
	const { repository, sharedDir, forges = [], isolate, confine, secrets, checks, processes = realProcesses } = a.parts;
	const warn = (text: string): void => a.parts.onWarning?.(text);
	// Our own commands belong to the attempt, even if somebody else runs its session.
	let within = point?.noted?.trace == null ? null : point;
	const found = new FoundTree(workspace);
	const run: StepContext["run"] = (command, how = {}) => {
		found.forget();
		const cwd = how.cwd ?? workspace.path;
		if (confine === undefined) return runIn(undefined, cwd, command, how);
		return confine(cwd, "check").then((sandbox) => runIn(sandbox, cwd, command, how));
	};
	const runIn = (sandbox: Sandbox | undefined, cwd: string, command: string, how: NonNullable<Parameters<typeof run>[1]>) =>
		processes.runCheck(how.name ?? command, command, {
			cwd,
			sandbox,
			env: { ...env, ...(within === null ? {} : workspace.sessionEnv(within)) },
			mark,
			isolate,
			signal: how.until === undefined ? signal : AbortSignal.any([signal, how.until]),
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
		userFiles: async () => (await a.parts.userFiles?.(state)) ?? [],
		forges,
		proof: async () => (await a.parts.proofOf?.(state)) ?? null,
		signal,
		now: a.parts.clock.now,
		warn,
		run,
		check: async (names, cwd, known, until) => {
			const tree = known ?? (cwd === workspace.path ? await found.now() : undefined);
			const chosen = (names.includes(EVERY_CHECK) ? Object.keys(checks) : names).flatMap((name) => {
				const command = own(checks, name);
				return command === undefined ? [] : [{ name, command, ...(tree === undefined ? {} : { tree }) }];
			});
			const results: CheckResult[] = [];
			const runAll = async (these: readonly (typeof chosen)[number][]): Promise<void> => {
				for (const ran of these) {
					if (signal.aborted || until?.aborted) return;
					if (hasPassed(state, ran)) results.push({ ...ran, exitCode: 0, output: "", reused: true });
					else results.push({ ...(await run(ran.command, { name: ran.name, cwd, ...(until && { until }) })), ...ran });
				}
			};
			const mine = findScope(state, scope);
			const { first, rest } = failedFirst(mine, chosen);
			await runAll(first);
			if (!stillFails(mine, results)) await runAll(rest);
			if (names.includes(EVERY_CHECK) && known === undefined) results.push(...(await conflictMarkers(a, tree)));
			return results;
		},
		undisturbed: async (work, isKept) => {
			// Files of the run in the tree that wait to be written would look like changes by the work.
			await a.tools.projector.flush();
			const outer = within;
			const at = performance.now();
			const of = outer === null ? { session: `${mark}:checks` } : { within: outer };
			const inner = async (before: Point) => {
				within = before;
				found.saw(before.tree, at);
				try {
					return await work();
				} finally {
					within = outer;
					found.forget();
				}
			};
			const keptAs = join(sharedDir, "checks", `${scope}-${step.id}.diff`);
			// They follow the journal, so they may change while a check runs.
			const isOwn = (path: string): boolean => a.tools.projector.isOwn(join(workspace.path, path));
			return undisturbed(workspace, { of, keptAs, attempt, warn, isKept: (path) => isOwn(path) || (isKept?.(path) ?? false) }, inner);
		},
		announceMerge: (commit) => announceMerge(a, commit),
		get mergeQueue() {
			return mergePlaceOf(a);
		},
	};
}

/** What is delivered adds no conflict marker, whatever the repository's own checks say. Nothing if all is well. It looks at the tree that was checked: what
 * a check changes is put back. */
async function conflictMarkers({ state, scope, workspace }: ContextOf, tree: string | undefined): Promise<CheckResult[]> {
	const { startCommit, unchecked } = startedWith(state);
	// A merge looks for the markers of a story with its own worktree, and has its own way back.
	const isMerged = workspaceOf(state) === "worktree" || (scope !== RUN_SCOPE && hasStoryTrees(state));
	const found = startCommit === "" || unchecked || isMerged ? [] : await workspace.markersSince(startCommit, tree);
	if (found.length === 0) return [];
	const shown = found.slice(0, MOST_MARKERS).join(", ") + (found.length > MOST_MARKERS ? ` and ${found.length - MOST_MARKERS} more` : "");
	const output = `conflict markers were committed at ${shown}: resolve the conflict there and remove them`;
	return [{ name: "conflict markers", command: "git diff --check", exitCode: 1, output }];
}

/** Called before base moves: a merge that the journal does not know does not count. */
async function announceMerge({ parts, tools, scope, step, attempt }: ContextOf, commit: string): Promise<void> {
	await tools.run.feed({ type: "merge_announced", at: parts.clock.now(), scope, step: step.id, attempt, commit });
	if (findStep(tools.run.state, scope, step.id)?.announced?.includes(commit)) parts.crashPoint?.("announced merge");
	else throw new WorkspaceError("the merge was given up before base moved");
}
