// Sessions and people who do things to the refs of one repository at the same time. A session's git commands carry the environment that
// the workspace gives them; a person's do not.
import { execFileSync } from "node:child_process";
import type { TestContext } from "node:test";
import type { Changes, Point } from "../../workspace.ts";
import { type Scratch, scratchRepository } from "../tree/scratch-repository.suite.ts";
import type { GitTree } from "../tree/tree.ts";

export interface World {
	readonly s: Scratch;
	readonly tree: GitTree;
	readonly point: Point;
	/** What the session runs, in its checkout. */
	session(script: string): void;
	/** What a person runs, in the main checkout. */
	person(script: string): void;
	/** What a person sees of the repository, without pawl's own refs. */
	view(): string;
	refs(space: string): string[];
}

export async function world(
	t: TestContext,
	where: "tree" | "worktree",
	before = "",
	session: string | null = "run:US-001:step-005:1",
): Promise<World> {
	const s = scratchRepository(t);
	const run = (script: string, cwd: string, env: Readonly<Record<string, string>> = {}): void => {
		execFileSync("sh", ["-ec", script], { cwd, env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
	};
	run(before, s.root);
	const tree = where === "tree" ? s.tree() : s.worktree();
	const point = await tree.point({ session });
	const env = tree.sessionEnv(point);
	const refs = (space: string): string[] =>
		s
			.git(["for-each-ref", "--format=%(objectname) %(refname)", space])
			.split("\n")
			.filter((line) => line !== "");
	return {
		s,
		tree,
		point,
		session: (script) => run(script, tree.path, env),
		person: (script) => run(script, s.root),
		view: () =>
			JSON.stringify([
				refs("refs/heads").filter((line) => !line.includes("/ralph/")),
				refs("refs/tags"),
				s.git(["stash", "list", "--format=%H %gs"]),
				s.git(["symbolic-ref", "HEAD"]),
				s.status(),
			]),
		refs,
	};
}

export const bySession = ({ refs }: Changes): string[] =>
	refs.filter(({ by }) => by === "session").map(({ what, change }) => `${change} ${what}`);
export const unclear = ({ refs }: Changes): string[] =>
	refs.filter(({ by }) => by === "unclear").map(({ what, change }) => `${change} ${what}`);

export const WORK = "echo work > work.txt; git add -A; git commit -qm work";
