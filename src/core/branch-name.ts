// The name of a branch in what an agent says about it: `feature/x (new)`, "Fix First Page!!".

const LONGEST = 100;
/** What git refuses in the name of a branch. */
const REFUSED = /[\s~^:?*[\\\p{Cc}]|\.\.|@\{|\/\/|\/\.|^[-./]|[./]$|\.lock(?:\/|$)|^@$/u;

const COMMENT = /^\s*[,;]|^\s+(?:[-–—#]|(?:from|based|off|on|onto|into|which|that|for|as|is|will)\b)/i;

/** A name that is valid stays as it is; words become one. null if nothing is left. */
export function branchName(said: string): string | null {
	// A name is one line: what comes below it is something else that the agent had to say.
	const name = said
		.trim()
		.replace(/[(\n].*/s, "")
		.replace(/^(["'`])\s*(.*?)\s*\1/, "$2")
		.trim();
	if (/[\p{L}\p{N}]/u.test(name) && !REFUSED.test(name)) return name;
	// A comment may follow: `feature/x, from main`. Other words belong to the name: `fix/last page`.
	const first = name.replace(/[\s,;].*/s, "");
	if (first.includes("/") && !REFUSED.test(first) && COMMENT.test(name.slice(first.length))) return first;
	const parts = name.toLowerCase().slice(0, LONGEST).split("/").map(slug);
	return parts.filter((part) => part !== "").join("/") || null;
}

const slug = (text: string): string =>
	text
		.replace(/[^\p{L}\p{N}._-]+/gu, "-")
		.replace(/\.{2,}/g, ".")
		.replace(/^[-.]+|[-.]+$/g, "")
		.replace(/\.lock$/, "-lock");
