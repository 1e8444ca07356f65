// Which story ids are valid. An id becomes a file name and a branch name, so pawl checks it when it
// reads it, and refuses a bad one by name.

const PATTERN = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Why it is refused, or null. */
export function storyIdProblem(id: string): string | null {
	if (!PATTERN.test(id)) return "an id has 1 to 64 letters, digits, `.`, `_` or `-` and starts with a letter or digit";
	if (id.includes("..")) return "an id may not contain `..`";
	// git refuses branches with these endings.
	if (id.endsWith(".") || id.endsWith(".lock")) return "an id may not end in `.` or `.lock`";
	return null;
}

/** The same for ids that would share their branch and their log where a file system ignores case (macOS, a machine that shares the run). */
export const placeOfId = (id: string): string => id.toLowerCase();
