// The branch and the tree that a run works in, and what must hold before it may touch them.
import { isAbsolute, join, matchesGlob, relative, resolve } from "node:path";
import type { Config } from "../../config.ts";
import type { Definition } from "../../core/definition.ts";
import type { Repository } from "../../workspace.ts";
import type { RunsContext } from "../context.ts";
import { holdTree } from "../hold.ts";
import { Refusal } from "../refusal.ts";
import type { StartOptions } from "./start-options.ts";

export async function baseOf(repository: Repository, config: Config, options: StartOptions): Promise<string> {
	const named = options.base ?? config.base;
	const base = named ?? repository.branch;
	if (base === null) throw new Refusal("refused", "HEAD is detached: check out a branch first, or name one with --base");
	if (!(await repository.hasBranch(base))) throw new Refusal("not_found", `there is no branch ${base}`);
	return base;
}

/** Work in the tree lands on the branch that is checked out, whatever else is configured. */
export function treeBranch(repository: Repository, base: string | undefined): string {
	if (repository.branch === null) throw new Refusal("refused", "HEAD is detached: check out a branch first, the work is committed there");
	if (base !== undefined && base !== repository.branch)
		throw new Refusal(
			"refused",
			`this works in the current tree, which is on ${repository.branch}: check out ${base} first, or leave --base out`,
		);
	return repository.branch;
}

/** The input names the branch that its work belongs on, and its prompt tells agents to work there. A branch that exists holds other files than
 * the user sees, so it is the user who switches to it. */
export async function refuseOtherBranch(repository: Repository, wanted: string | undefined): Promise<void> {
	const now = repository.branch;
	if (wanted === undefined || wanted === now) return;
	if (await repository.hasBranch(wanted))
		throw new Refusal(
			"refused",
			`the work belongs on the branch ${wanted}, and ${now ?? "a detached HEAD"} is checked out: git switch ${wanted}`,
		);
}

interface OnBranch {
	readonly repository: Repository;
	readonly definition: Definition;
	readonly mode: string;
	readonly branch?: string;
	readonly base: string;
	readonly target: string | null;
}

/** A branch that pawl made for a run. */
const isRunBranch = (branch: string | null): boolean => /^pawl\/\d{8}-\d{6}-[0-9a-z]{4}$/.test(branch ?? "");

/** After a run with a pull request its branch is still checked out. Whoever starts the next one there seldom wants it in the same pull request, or as
 * one into that branch: whoever does names the branch that it goes into. */
export const isLeftOnRunBranch = (
	{ branch }: Pick<Repository, "branch">,
	{ base }: Pick<StartOptions, "base">,
	{ inTree, target }: { readonly inTree: boolean; readonly target: string | null },
): boolean => target !== null && base === undefined && isRunBranch(branch) && (inTree || target === branch);

export function refuseRunBranch(p: OnBranch & { readonly options: StartOptions; readonly config: Config }): void {
	const { repository, options, config, target } = p;
	const inTree = p.definition.inputs[p.mode]?.workspace === "tree";
	if (p.branch !== undefined || !isLeftOnRunBranch(repository, options, { inTree, target })) return;
	throw new Refusal(
		"refused",
		`--pr: ${repository.branch}, the branch of an earlier run, is still checked out. To start new work: git switch ${config.base ?? "BRANCH"}. To add to this branch: --base ${config.base ?? "BRANCH"} (where the pull request goes)`,
	);
}

/** Makes the branch that the work belongs on: the one that the input names, or one for the run if its work ends in a pull request and would be on the
 * branch that this goes into. In the user's tree, where he stands, and switches to it, which changes no file. */
export async function onItsBranch<P extends OnBranch>(c: RunsContext, p: P, run: string): Promise<P> {
	const { branch = p.target === p.base ? `pawl/${run}` : undefined, repository } = p;
	if (branch === undefined || branch === repository.branch) return p;
	const inTree = p.definition.inputs[p.mode]?.workspace === "tree";
	if (inTree) {
		await repository.startBranch(branch);
		c.warn(
			`made the branch ${branch} and switched to it: ${p.branch ? "the input says that the work belongs there" : "the pull request is made from it"}`,
		);
	} else await repository.makeBranch(branch, await repository.commitOf(p.base));
	return { ...p, base: branch };
}

/** Uncommitted files would be committed with the work, and rolled back with it. */
export function refuseSharedInTree(c: RunsContext, repository: Repository, options: StartOptions): void {
	if (options.sharedDir === undefined) return;
	const inside = relative(repository.tree().path, resolve(c.cwd, options.sharedDir));
	if (inside === ".." || inside.startsWith("../") || isAbsolute(inside) || inside.startsWith(".pawl/")) return;
	throw new Refusal(
		"invalid",
		`--shared-dir ${options.sharedDir} lies in the tree that this run works in, so its files would end up in commits: choose a folder outside`,
	);
}

/** `own`: folders and files of the run; `written`: files that pawl changed itself, absolute. */
export async function refuseDirty(
	repository: Repository,
	exclude: readonly string[],
	own: readonly string[] = [],
	written: readonly string[] = [],
): Promise<void> {
	const top = repository.tree().path;
	const isOwn = (path: string): boolean =>
		written.includes(join(top, path)) ||
		own.some((one) => path === one || path.startsWith(`${one}/`)) ||
		exclude.some((pattern) => matchesGlob(`/${path}`, pattern.endsWith("/") ? `${pattern}**` : pattern));
	const dirty = (await repository.dirty()).filter((path) => !isOwn(path));
	if (dirty.length > 0) {
		const shown = dirty.slice(0, 5).join(", ") + (dirty.length > 5 ? ` and ${dirty.length - 5} more` : "");
		throw new Refusal(
			"refused",
			`the working tree is not clean (uncommitted: ${shown}); commit or stash it first, because a failed step puts the tree back`,
		);
	}
	holdTree(repository);
}
