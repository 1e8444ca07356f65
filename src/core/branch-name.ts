// The name of a branch in what an agent says about it: `feature/x (new)`, "Fix First Page!!".

const LONGEST = 100;
/** What git refuses in the name of a branch. */
const REFUSED = /[\s~^:?*[\\\p{Cc}]|\.\.|@\{|\/\/|\/\.|^[-./]|[./]$|\.lock(?:\/|$)|^@$/u;

/** A name that is valid stays as it is; words become one. null if nothing is left. */
export function branchName(said: string): string | null {
	const name = said
		.trim()
		.replace(/^(["'`])(.*)\1$/, "$2")
		.replace(/\s*\(.*$/, "")
		.trim();
	if (/[\p{L}\p{N}]/u.test(name) && !REFUSED.test(name)) return name;
	// A comment may follow: `feature/x, from main`.
	const [first = ""] = name.split(/[\s,;]/, 1);
	if (first.includes("/") && !REFUSED.test(first)) return first;
	const parts = name.toLowerCase().slice(0, LONGEST).split("/").map(slug);
	return parts.filter((part) => part !== "").join("/") || null;
}

const slug = (text: string): string =>
	text
		.replace(/[^\p{L}\p{N}._-]+/gu, "-")
		.replace(/\.{2,}/g, ".")
		.replace(/^[-.]+|[-.]+$/g, "")
		.replace(/\.lock$/, "-lock");
