// Which issues a person means: a number, or a query such as `label:agent milestone:"2.0" crash`. The same words for every forge.
import type { IssueQuery } from "../core/remote/issue.ts";

/** `123` or `#123`; null: it is none. */
export const issueNumber = (value: unknown): number | null => {
	const number = typeof value === "string" ? Number(/^#?([1-9]\d{0,8})$/.exec(value.trim())?.[1]) : Number.NaN;
	return Number.isNaN(number) ? null : number;
};

const KEYS = ["label", "milestone", "author", "assignee"] as const;
const MOST_CHARS = 500;

/** What is wrong with it, as the end of a sentence; null: nothing. */
export function queryProblem(value: unknown): string | null {
	const read = readQuery(typeof value === "string" ? value : "");
	return "problem" in read ? read.problem : null;
}

export function readQuery(text: string): IssueQuery | { readonly problem: string } {
	if (text.trim() === "" || text.length > MOST_CHARS || /\p{Cc}/u.test(text))
		return { problem: 'must say which issues, such as "label:agent"' };
	const labels: string[] = [];
	const one: Partial<Record<(typeof KEYS)[number], string>> = {};
	const words: string[] = [];
	for (const [whole, key, quoted, plain = ""] of text.matchAll(/([\w-]+):(?:"([^"]*)"|([^\s"]*))|[^\s]+/g)) {
		if (key === undefined) {
			words.push(whole);
			continue;
		}
		const value = (quoted ?? plain).trim();
		const known = KEYS.find((name) => name === key.toLowerCase());
		if (known === undefined || value === "" || value.includes(","))
			return { problem: `has ${whole}: it takes ${KEYS.map((name) => `${name}:…`).join(", ")}, and words` };
		if (known === "label") labels.push(value);
		else if (one[known] !== undefined) return { problem: `names more than one ${known}` };
		else one[known] = value;
	}
	const { milestone, author, assignee } = one;
	return {
		labels,
		...(milestone === undefined ? {} : { milestone }),
		...(author === undefined ? {} : { author: author.replace(/^@/, "") }),
		...(assignee === undefined ? {} : { assignee: assignee.replace(/^@(?!me$)/, "") }),
		words: words.join(" "),
	};
}
