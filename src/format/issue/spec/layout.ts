// The layout of a spec, as the prompts of its authors show it. task.ts reads it.

export interface LayoutOf {
	/** The repository's own test command, if it has one. */
	readonly testCommand: string | null;
	/** The ending of its sources, without a dot. */
	readonly ending: string;
}

/** Of a task of a split. */
export const taskLayout = (of: LayoutOf): string =>
	layout(
		of,
		"# Task 1: what it is, in a few words",
		"word for word as in the issue: those that this task fulfils",
		"\n    Depends on: none\n    New symbols: no",
		TASK_LINES,
		TEST_DESIGN,
	);

const TEST_DESIGN = `    ## Test design
    What is tested, and how.

`;

/** Of a fix that a review asked for: it depends on nothing, its names are there, and nobody writes tests for it. */
export const fixLayout = (of: LayoutOf): string =>
	layout(of, "# Fix 1: what it is, in a few words", "what holds once it is mended", "\n    New symbols: no", "", "");

const TASK_LINES =
	" `Depends on` names the tasks that must be finished before this one can start, as in `Depends on: task 2, task 3`; nothing else in the file is read as a dependency.";

const layout = (
	{ testCommand, ending }: LayoutOf,
	title: string,
	criteria: string,
	lines: string,
	more: string,
	tests: string,
): string => `    ${title}

    What is to be done, and why.

    ## Acceptance criteria
    - ${criteria}

    ## Files
    src/one.${ending}
    src/two/**

    ## Code context
    What is there already, with names and places.

    ## Integration contracts
    What it needs from other tasks and gives to them, in words; or: None.

${tests}    ## Test command
    ${testCommand ?? "cargo test"}
${lines}

\`## Files\` has one path or glob per line, relative to the worktree. Only these files may be changed by whoever implements it, and tests among them stay out of bounds: somebody else writes the tests. \`## Test command\` is one plain line.${more} \`New symbols\` is \`yes\` if functions or types are added that tests have to name, else \`no\`.`;
