// Where the files of a phased run are, below the tree that it works in.

export const STATE_FOLDER = ".claude";
export const STATE_FILE = "agent-state.json";
export const LEARNINGS_FILE = "learnings.jsonl";
export const LOCKS_FILE = "locks.json";
export const LATEST_FILE = "checkpoint.json";
export const ARCHIVE = "archive";
/** Beside the run's own files: see the projection. */
export const SUMS = "agent-state.sums";
export const NOTES = "milestones";

/** Patterns for git's exclude file; they also match temporary files, whose names are longer. */
export const OWN_FILES: readonly string[] = [
	`${STATE_FILE}*`,
	`${LEARNINGS_FILE}*`,
	`${LOCKS_FILE}*`,
	"checkpoint.json*",
	"checkpoint-*.json*",
	`${ARCHIVE}/`,
	`${NOTES}/`,
].map((name) => `/${STATE_FOLDER}/${name}`);

/** The name of a snapshot, given with or without its extension; null if it is not one. */
export const snapshotName = (text: string): string | null => {
	const name = /^(checkpoint(?:-\d{3,})?)(?:\.json)?$/.exec(text.trim())?.[1];
	return name === undefined ? null : `${name}.json`;
};
