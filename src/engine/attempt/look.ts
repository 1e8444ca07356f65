// What the engine itself sees after an attempt: what changed, whether a boundary was crossed, and what the checks say about the
// result. What the agent says is a report, never evidence.
import { join } from "node:path";
import { inStyle } from "../../core/commit-style.ts";
import type { StepType } from "../../core/definition.ts";
import type { CheckResult, EditRequest } from "../../core/input.ts";
import { leftSubject } from "../../core/left-subject.ts";
import { RUN_SCOPE, type RunState, type Step } from "../../core/model.ts";
import { findScope, own, startOfWork, workspaceOf } from "../../core/query.ts";
import { startedWith } from "../../core/started-with.ts";
import type { AgentAnswer, Amendment } from "../../format.ts";
import type { Changes, Leftover } from "../../workspace.ts";
import { boundaryViolation, pathsOutside, type Rewritten, rewrittenCommits, rewrittenRemarks } from "./boundary.ts";
import { leftoverRemarks } from "./leftovers.ts";
import { environmentOf, type LiveAttempt } from "./live-attempt.ts";
import { deniedTo } from "./refusals.ts";
import { stepContext } from "./step-context.ts";

export interface Observation {
	readonly changes: Changes;
	readonly edits: EditRequest | null;
	/** Which boundary was crossed, as a text for people. */
	readonly violation: string | null;
	/** Litter outside of what the step may write, which was put aside instead of failing it. */
	readonly aside: readonly Leftover[];
	readonly rewritten: Rewritten;
}

export async function lookAt(a: LiveAttempt, answer: AgentAnswer): Promise<Observation> {
	const seen = await a.workspace.changes(a.point);
	const edits = a.scope === RUN_SCOPE ? null : await a.tools.edits.read(a.scope);
	// The route of a failed attempt rolls its work back. In a gate it does not: an advisory member takes no route.
	const judged = answer.result === "ok" || a.type.kind === "gate";
	if (!judged) return { changes: seen, edits, violation: null, aside: [], rewritten: { others: [], own: [] } };
	const aside = await strayLitter(a, seen);
	const changes = aside.length === 0 ? seen : { ...(await a.workspace.changes(a.point)), refs: seen.refs, tampered: seen.tampered };
	const rewritten = await rewrittenCommits(a, changes);
	return { changes, edits, violation: await boundaryViolation(a, changes, rewritten), aside, rewritten };
}

/** A log that a tool dropped outside of what a writing step may change is no reason to lose its work: it is moved out of the way. */
async function strayLitter(a: LiveAttempt, { paths, uncommitted }: Changes): Promise<readonly Leftover[]> {
	const { writes } = a.type;
	if (!uncommitted || writes === "any" || writes === "none") return [];
	const outside = await pathsOutside(a, paths);
	return outside.length === 0 ? [] : a.workspace.putLitterAside(outside, asideOf(a));
}

const asideOf = (a: LiveAttempt): string =>
	join(a.parts.sharedDir, "put_aside", `${a.scope === RUN_SCOPE ? "run" : a.scope}-${a.step.id}-${a.attempt}`);

/** Commits what the attempt left uncommitted, so that a later step's rollback cannot lose it, and puts litter aside. Returns remarks that
 * say what was done. */
export async function keepWork(
	a: LiveAttempt,
	{ changes, aside, rewritten }: Observation,
	{ commit: commits = true, leave = [], putBack = [] }: Amendment = {},
): Promise<readonly string[]> {
	if (changes.tampered.length > 0)
		a.parts.onWarning?.(`${a.step.id} changed the repository itself, which was put back: ${changes.tampered.join(", ")}`);
	const folder = asideOf(a);
	const seen = [...rewrittenRemarks(a, rewritten), ...(changes.paths.includes(SETTINGS) ? [SETTINGS_CHANGED] : [])];
	if (!changes.uncommitted || !commits) return [...seen, ...leftoverRemarks({ committed: [], aside }, folder)];
	const left = await a.workspace.keepLeftovers(messageOf(a.state, a.scope, a.step, a.type), folder, [...leave, ...putBack]);
	// A commit of its own: its subject tells of nothing else.
	if (putBack.length > 0) await a.workspace.keepLeftovers(putBackMessage(a, putBack), folder, leave, putBack);
	// A role that may not commit leaves no leftovers: its prompt says that pawl commits its work.
	const may = !deniedTo(own(a.state.definition.roles, a.role)).includes("commit");
	return [...seen, ...leftoverRemarks({ committed: may ? left.committed : [], aside: [...aside, ...left.aside] }, folder)];
}

const SETTINGS = "pawl.yml";
const SETTINGS_CHANGED = `it changed ${SETTINGS}, which names the checks of later runs. This run keeps those that it was started with`;

const putBackMessage = ({ role }: LiveAttempt, paths: readonly string[]): string =>
	`pawl: put back what ${role} may not change\n\n${paths.slice(0, 20).join("\n")}\n`;

/** Commits that stay in the history get a subject for people; others are folded into one later. */
function messageOf(state: RunState, scope: string, step: Step, type: StepType): string {
	const story = state.stories.find((s) => s.id === scope);
	const turn = step.running.find((one) => one.letter !== undefined);
	if (turn) return `pawl: what ${turn.role} left uncommitted in iteration ${step.iteration + 1}`;
	if (workspaceOf(state) === "tree") return `${leftSubject(state, scope, type.name)}\n\nPawl-Run: ${state.id}\n`;
	if (workspaceOf(state) !== "branch") return `pawl: ${scope} ${step.id} (${type.name})`;
	// Whether it is a feature, a fix or rubbish is for its author to say.
	return leftOf(state, story === undefined ? type.name : `${story.id} ${type.name}`);
}

function leftOf(state: RunState, whose: string): string {
	const { commitStyle } = startedWith(state);
	return commitStyle === null ? `chore: ${whose}, left uncommitted` : inStyle(commitStyle, `${whose}, left uncommitted`, "chore");
}

/** Whether the work of the scope is what it was before anybody began, although the step has to change something. */
export const leftNothing = async (a: LiveAttempt): Promise<boolean> => a.type.expectsChange === true && (await hasWork(a)) === false;

/** Whether the story has work although this attempt changed nothing: that of an attempt whose report did not count. Not looked at if it is known, nor
 * if the branch is still where it was, which costs no call of git. */
export async function isChangedBefore(a: LiveAttempt, { paths, point }: Changes): Promise<boolean> {
	const story = a.state.stories.find(({ id }) => id === a.scope);
	if (paths.length > 0 || a.type.writes === "none" || story === undefined || story.changed) return false;
	return point.commit !== beginningOf(a) && (await hasWork(a)) === true;
}

/** Whether the scope differs from where it began, whoever did that and in whichever attempt; null: nobody noted where it began. */
async function hasWork(a: LiveAttempt): Promise<boolean | null> {
	const start = beginningOf(a);
	return start === "" ? null : (await a.parts.repository.changedPaths(start, a.workspace.branch)).length > 0;
}

/** The commit at which the work of the scope began; empty if nobody noted it. */
function beginningOf({ state, scope }: LiveAttempt): string {
	const begun = findScope(state, scope);
	return (begun && startOfWork(begun)) ?? startedWith(state).startCommit;
}

/** The checks that the step names, run by the engine on what the attempt left. */
export async function gatherEvidence(a: LiveAttempt, answer: AgentAnswer, { edits }: Observation): Promise<readonly CheckResult[]> {
	// A restart throws the work away, so it needs no evidence.
	if (asksForRestart(edits)) return [];
	const context = stepContext(a, environmentOf(a));
	if (a.type.checks.length === 0) return [];
	return context.undisturbed(async () => {
		const results: CheckResult[] = [];
		for (const name of a.type.checks) {
			if (a.signal.aborted) break;
			const evidence = own(a.parts.evidence ?? {}, name);
			results.push(...(await (evidence ? evidence(context, answer) : context.check([name], a.workspace.path))));
		}
		return results;
	});
}

function asksForRestart(edits: EditRequest | null): boolean {
	if (edits === null || !("operations" in edits)) return false;
	const operations: readonly unknown[] = Array.isArray(edits.operations) ? edits.operations : [edits.operations];
	return operations.some((o) => typeof o === "object" && o !== null && "operation" in o && o.operation === "restart");
}
