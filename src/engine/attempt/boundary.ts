// What an attempt may write, judged afterwards by what changed and never by what the agent says: globs, a write rule of a format, and
// whether it may commit. Puts back what the members of a gate changed in their shared tree, because no route does that.
import { join, matchesGlob } from "node:path";
import { KEPT_REFS } from "../../core/mark.ts";
import { RUN_SCOPE } from "../../core/model.ts";
import { findScope, hasStoryTrees, own, startOfWork, workspaceOf } from "../../core/query.ts";
import type { Changes } from "../../workspace.ts";
import { environmentOf, type LiveAttempt } from "./live-attempt.ts";
import { foreignRefs, nameIn } from "./ref-text.ts";
import { stepContext } from "./step-context.ts";

/** What the attempt was not allowed to do, as a text for people; null if it stayed within bounds. */
export async function boundaryViolation(c: LiveAttempt, changes: Changes, rewritten: Rewritten): Promise<string | null> {
	const repository = [unfinished(c, changes), foreignRefs(nameIn(c), changes.refs, c.workspace.branch), droppedCommits(c, rewritten)];
	// All of it at once: whoever hears of one fault at a time needs an attempt for each.
	const found = [...repository, (await outside(c, changes.paths)) ?? committed(c, changes), tamperedWith(c, changes)];
	const violation = found.filter((one) => one !== null).join("; ") || null;
	// The verdict of a member that only advises takes no route, so no route would put the tree back.
	if (violation !== null && c.type.kind === "gate" && c.type.writes === "none") {
		await c.workspace.saveDiff(c.point, join(c.parts.sharedDir, "failures", `${c.step.id}-${c.attempt}-${c.role}.diff`));
		await c.workspace.rollback(c.point);
		// Nothing else tells the user. It is reported for the first member that ends, no matter which one made the change.
		c.parts.onWarning?.(`${c.step.id} (${c.role}): ${violation}: put back`);
	}
	return violation;
}

/** Files in the middle of a rebase may hold conflict markers, and pawl's own files must not be delivered. */
function unfinished({ type }: LiveAttempt, changes: Changes): string | null {
	const left = changes.tampered.find((what) => what.startsWith("an unfinished") || what.startsWith("pawl's own files"));
	return left === undefined ? null : `${type.name} left ${left}`;
}

/** Commits that were on the branch when the attempt began and are not any more. */
export interface Rewritten {
	/** Of others: a violation. */
	readonly others: readonly string[];
	/** Of earlier sessions of the same story or step. */
	readonly own: readonly string[];
}

/** On the branch of a run the work of many lies one upon the other. A session may rewrite the commits of its own story (or of its own step, for a
 * step of the run), and no others. In the worktree of a story all commits are the story's; of a person's checkout the refs tell. */
export async function rewrittenCommits({ state, scope, step, point, parts }: LiveAttempt, changes: Changes): Promise<Rewritten> {
	if (!changes.committed || workspaceOf(state) !== "branch" || (scope !== RUN_SCOPE && hasStoryTrees(state))) return NONE;
	const gone = await parts.repository.commits(changes.point.commit, point.commit);
	if (gone.length === 0) return NONE;
	const begun = (scope === RUN_SCOPE ? step.firstCommit : startOfWork(findScope(state, scope) ?? state.root)) ?? point.commit;
	const missing = new Set((await parts.repository.commits(changes.point.commit, begun)).map(({ sha }) => sha));
	const names = (those: typeof gone): string[] => those.map(({ sha, subject }) => `${sha.slice(0, 12)} ${subject}`);
	return { others: names(gone.filter(({ sha }) => missing.has(sha))), own: names(gone.filter(({ sha }) => !missing.has(sha))) };
}

const NONE: Rewritten = { others: [], own: [] };

const droppedCommits = ({ type }: LiveAttempt, { others }: Rewritten): string | null =>
	others.length === 0
		? null
		: `${type.name} took commits off the branch that were there before it began (${named(others)}): they are put back`;

/** Allowed, and said: nobody else would notice that the history is another one. */
export const rewrittenRemarks = ({ scope }: LiveAttempt, { own: commits }: Rewritten): readonly string[] =>
	commits.length === 0
		? []
		: [
				`it rewrote commits of earlier sessions of ${scope === RUN_SCOPE ? "its step" : scope} (${named(commits)}). They are kept under ${KEPT_REFS}`,
			];

function tamperedWith({ type }: LiveAttempt, { tampered }: Changes): string | null {
	if (type.writes !== "none" || tampered.length === 0) return null;
	return `${type.name} may not change the repository, but changed ${named(tampered)}`;
}

async function outside(c: LiveAttempt, paths: readonly string[]): Promise<string | null> {
	const { name, writes } = c.type;
	if (writes === "any" || paths.length === 0) return null;
	if (writes === "none") return `${name} may not write in the worktree, but changed ${named(paths)}`;
	if ("rule" in writes && own(c.parts.writeRules ?? {}, writes.rule) === undefined)
		return `${name} may only write by the rule ${writes.rule}, which does not exist, but changed ${named(paths)}`;
	const other = await pathsOutside(c, paths);
	if (other.length === 0) return null;
	const allowed = "rule" in writes ? `what the rule ${writes.rule} allows` : writes.join(",");
	return `${name} may only write ${allowed}, but changed ${named(other)}`;
}

/** Those of the paths that the step may not write; a write rule may add to each in which way it was changed. */
export async function pathsOutside(c: LiveAttempt, paths: readonly string[]): Promise<readonly string[]> {
	const { writes } = c.type;
	if (writes === "any" || paths.length === 0) return [];
	if (writes === "none") return paths;
	if (!("rule" in writes)) return paths.filter((path) => !writes.some((glob) => matchesGlob(path, glob)));
	const rule = own(c.parts.writeRules ?? {}, writes.rule);
	return rule === undefined ? paths : rule(stepContext(c, environmentOf(c)), paths);
}

function committed({ type, role, state }: LiveAttempt, changes: Changes): string | null {
	const who = own(state.definition.roles, role);
	const may = type.writes !== "none" && (who?.bounded !== true || who.can.includes("commit"));
	return changes.committed && !may ? `${type.name} may not commit` : null;
}

const named = (paths: readonly string[]): string =>
	paths.slice(0, 10).join(", ") + (paths.length > 10 ? ` and ${paths.length - 10} more` : "");
