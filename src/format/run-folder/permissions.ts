// The control plane of a run folder: who may change what. One table decides what is put back and is printed as CONTROL_PLANE.md.
import { RALPH, type RunFolder } from "./folder.ts";

export type Who = "worker" | "reviewer" | "steering";

export interface Rule {
	/** Relative to the run folder, or `/…` relative to the repository. */
	readonly file: string;
	readonly may: readonly Who[];
	readonly words?: string;
}

/** Files with a rule by name. prd.json, loop_state.json and the files that follow the journal have rules of their own. */
export const RULES: readonly Rule[] = [
	{ file: "PRD.md", may: ["steering"] },
	{ file: "PROMPT.md", may: [] },
	{ file: "VISION.md", may: [] },
	{ file: "review.md", may: ["reviewer"] },
	{ file: "steering.md", may: ["steering"] },
	{ file: "task.json", may: [] },
	{ file: "/VISION.md", may: [] },
	{ file: "/ralph/VISION.md", may: [] },
	{ file: "/ralph/config.json", may: [] },
	{ file: "/ralph/templates/CONTROL_PLANE.md", may: [] },
];

/** Files that every role may write. */
const SHARED = ["progress.md", "SUMMARY.md", "control.json"];

/** `path` is relative to the run folder; null for one outside of `ralph/`. `there`: it existed when the iteration began. */
export function mayWrite(who: Who, path: string | null, there: boolean): boolean {
	if (path === null) return who === "worker";
	if (SHARED.includes(path)) return true;
	if (path.startsWith("transcripts/")) return !there;
	if (path.startsWith("output/")) return who === "worker";
	return who === "worker";
}

const mark = (may: readonly Who[], who: Who): string => (may.includes(who) ? "yes" : "no");
const row = (what: string, worker: string, reviewer: string, steering: string): string =>
	`| ${what} | ${worker} | ${reviewer} | ${steering} |`;

export function controlPlaneText(): string {
	const rules = RULES.map(({ file, may }) =>
		row(
			`\`${file.replace(/^\//, "")}\`${file.startsWith("/") ? " of the repository" : ""}`,
			mark(may, "worker"),
			mark(may, "reviewer"),
			mark(may, "steering"),
		),
	);
	return [
		"# The control plane of a run folder",
		"",
		"Who may change what. After every iteration pawl compares the files with what they were before it: what a role may not change is put",
		"back, kept under `put_back/` in the run's files, and reported. Paths are those of `ralph/runs/<run_id>/` where nothing else is said.",
		"",
		row("file", "worker", "reviewer", "steering"),
		row("---", "---", "---", "---"),
		row("code: everything outside of `ralph/`", "yes", "no", "no"),
		row("`progress.md`, `SUMMARY.md`", "yes", "yes", "yes"),
		row("`transcripts/`", "its own", "its own", "its own"),
		row("`prd.json`: `passes` of a story", "yes; checked by `verification_commands`", "from true to false", "no"),
		row("`prd.json`: `notes` of a story", "yes", "yes", "yes"),
		row("`prd.json`: the list of stories", "no", "no", "yes; stories that pass stay"),
		row("`prd.json`: `loop_settings`, `global_verification`, `run_id`", "no", "no", "no"),
		row("`prd.json`: everything else", "no", "no", "yes"),
		row("`loop_state.json`", "no", "`steering_requested`, `steering_reason`", "no"),
		...rules,
		row("`output/`", "yes", "no", "no"),
		row("`run.json`, `orchestration.json`, `events.ndjson`", "no", "no", "no"),
		"",
		"`control.json` is how people and reviewers speak to the loop. pawl takes what is in it whoever wrote it, once, and puts it into the",
		"journal; workers and steering leave it alone. Whoever wants to change a file that is put back, such as `PROMPT.md`, sets",
		"`pause` in `control.json` first, changes it between two iterations, and takes `pause` away again. Another `scheme` in",
		"`orchestration.json` counts when the loop is started again.",
		"",
	].join("\n");
}

/** The table of who may change what, relative to the checkout. */
export const PLANE = `${RALPH}/templates/CONTROL_PLANE.md`;

/** An older one of pawl's is updated; one that somebody else wrote is kept. */
export function writePlane(folder: RunFolder): void {
	const text = controlPlaneText();
	const known = folder.text(PLANE);
	if (known === null || (known !== text && known.startsWith(text.slice(0, text.indexOf("\n"))))) folder.write(PLANE, text);
}
