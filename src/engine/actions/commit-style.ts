// The style of a repository's commit subjects, read from its log.

const CONVENTIONAL = /^[a-z]+(?:\([^)]*\))?!?: \S/;

/** `subjects`: of recent commits, in any order. */
export function inStyleOf(subjects: readonly string[], title: string): string {
	const conventional = subjects.filter((subject) => CONVENTIONAL.test(subject)).length;
	if (subjects.length === 0 || conventional * 2 < subjects.length) return title;
	return CONVENTIONAL.test(title) ? title : `feat: ${title.charAt(0).toLowerCase()}${title.slice(1)}`;
}
