// The table: every path that a run can take through pawl, as workflow × workspace × driver, with the kinds of steps on it. A guarantee is
// walked over all rows. A built-in workflow, an input, a driver or a kind of step without a row fails `table.test.ts`.
import { BUILT_IN } from "../../src/engine/testing/built-in.suite.ts";
import type { Turn } from "../../src/engine/testing/cast.suite.ts";
import type { HarnessOptions } from "../../src/engine/testing/harness.suite.ts";
import { ownLoop, ownStories } from "./own-workflows.ts";

/** Who runs the sessions: pawl, a second pawl after the first was killed with kill -9, agents that come for their steps, or workers on machines of their own, of which
 * the first is killed in the middle of the work. */
export const DRIVERS = ["run", "resumed", "pulled", "shared"] as const;
export type Driver = (typeof DRIVERS)[number];

export interface Path {
	readonly name: string;
	/** The folder in `workflows/`; null for a workflow of a user's own. */
	readonly builtIn: string | null;
	readonly workspace: "tree" | "branch" | "worktree";
	readonly options: HarnessOptions;
	/** The branch on which the work is handed over. */
	readonly branch: string;
	/** Who does the work, by its key in the cast. */
	readonly writer: string;
	/** A file that the writer may change, and a text that it may hold. */
	readonly change: readonly [path: string, text: string];
	/** Who may only look (or write elsewhere), by its key in the cast. */
	readonly reader: string;
	/** Files that pawl itself keeps on the branch, beside the work. */
	readonly records?: RegExp;
	/** False where the workflow says `resume: never`. */
	readonly resumes?: boolean;
	/** Where a session reads what went wrong before: its prompt, unless the prompt is the user's own file. */
	readonly told?: (turn: Turn) => string;
}

const builtIn = (name: string): HarnessOptions => {
	const found = BUILT_IN[name];
	if (found === undefined) throw new Error(`the harness has no run of ${name}`);
	return found;
};

/** One is enough for a path, and takes a third of the time. */
const ONE_TASK = `# Demo

What it is about.

## Phase 1: Part 1

### Task 1.1: Job 1.1

Do it.

- [ ] File exists \`test -f work/1.1.txt\`
- [ ] Notes are written
`;

const CHANGE = ["mended.txt", "mended\n"] as const;

const pipeline = (name: string, branch: string, writer: string, reader: string): Path => ({
	...{ name, builtIn: name, workspace: "branch", options: builtIn(name), branch, writer, reader },
	change: CHANGE,
});

export const PATHS: readonly Path[] = [
	{
		...{ name: "dynamic, stories", builtIn: "dynamic", workspace: "worktree" },
		options: { ...builtIn("dynamic"), stories: ["US-1"], options: {} },
		...{ branch: "main", writer: "coding", change: CHANGE, reader: "planning" },
	},
	{
		...{ name: "dynamic, a request", builtIn: "dynamic", workspace: "tree", options: builtIn("dynamic, a request") },
		...{ branch: "main", writer: "coding", change: CHANGE, reader: "planning" },
	},
	pipeline("feature-dev", "feature/field", "implement", "verify"),
	pipeline("bug-fix", "fix/it", "fix", "verify"),
	pipeline("security-audit", "security/audit", "fix", "verify"),
	{
		...{ name: "phased", builtIn: "phased", workspace: "tree" },
		options: { ...builtIn("phased"), files: { "README.md": "a project\n", "tasks/demo.md": ONE_TASK } },
		...{ branch: "main", writer: "task-executor", change: CHANGE, reader: "supervisor" },
	},
	{
		...{ name: "ralph", builtIn: "ralph", workspace: "tree", options: builtIn("ralph") },
		...{ branch: "main", writer: "worker", change: CHANGE, reader: "reviewer", records: /^ralph\// },
		told: ({ files }) => files.read("ralph/runs/demo/progress.md") ?? "",
	},
	{
		...{ name: "gated", builtIn: "gated", workspace: "tree", options: builtIn("gated") },
		...{ branch: "feature/gal-39", writer: "make", reader: "check", records: /^TODO\//, resumes: false },
		change: ["src/sum.mjs", "export const sum = (a, b) => a + b; // mended\n"],
	},
	{
		...{ name: "a user's stories", builtIn: null, workspace: "worktree", options: ownStories },
		...{ branch: "main", writer: "work", change: CHANGE, reader: "look" },
	},
	{
		...{ name: "a user's loop", builtIn: null, workspace: "tree", options: ownLoop },
		...{ branch: "main", writer: "worker", change: CHANGE, reader: "reviewer" },
	},
];

/** Why a path cannot be driven so; null: it can. `table.test.ts` compares it with what pawl says itself. */
export function whyNotDriven({ workspace, resumes }: Path, driver: Driver): string | null {
	if (driver === "resumed" && resumes === false) return "the workflow says `resume: never`";
	if (driver === "shared" && workspace !== "worktree") return "workers have worktrees of stories, and nothing else of a run";
	return null;
}
