// The last open issue of a parent settles the parent as well: the final review sees the open criteria of the parent,
// and pawl ticks those that it does not deny.
import type { Issue, Refused } from "./issue.ts";
import { listIssues, readIssue, setStatus, tickCriteria } from "./tracker.ts";

/** The parent, if nothing but this issue is open below it. */
function lastOf(dir: string, issue: Issue): Issue | null {
	if (issue.parent === null || issue.parent === issue.id) return null;
	const all = listIssues(dir);
	if ("problem" in all) return null;
	if (all.issues.some((other) => other.parent === issue.parent && other.id !== issue.id && other.status !== "Done")) return null;
	const parent = readIssue(dir, issue.parent);
	return "problem" in parent || parent.status === "Done" ? null : parent;
}

/** What the final review is asked about the parent; empty if there is nothing to ask. */
export function parentQuestion(dir: string, issue: Issue): string {
	const parent = lastOf(dir, issue);
	if (parent === null) return "";
	const open = parent.criteria.filter((criterion) => !criterion.done).map(({ text }) => `- ${text}`);
	return `This issue is the last open part of ${parent.id} (${parent.title}). ${open.length === 0 ? `${parent.id} has no open criteria.` : `What ${parent.id} still asks for:\n\n${open.join("\n")}\n\nDoes the whole of it hold now? Add a line \`CRITERIA:\` to your answer, and below it each of these lines with \`: true\` or \`: false\` at its end.`}`;
}

/** Each takes a part off a line that has no space at its ends, so that no part of it is tried twice. */
const MARK = /^(?:[-*+]|\d+[.)])?\s*(?:\[[ xX]\]\s*)?/;
const DENIES = /:\s*[*_`]*(?:false|no|open)[*_`.]*$/i;

/** The criteria that a review says do not hold. */
export const deniedIn = (said: string): string[] =>
	said.split("\n").flatMap((line) => {
		const text = line.trim().replace(MARK, "");
		const end = text.lastIndexOf(":");
		const said = text.slice(0, Math.max(0, end)).trim();
		return said !== "" && DENIES.test(text.slice(end)) ? [said] : [];
	});

const plain = (text: string): string =>
	text
		.replace(/[\s`*_]+/g, " ")
		.trim()
		.toLowerCase();

/** Ticks what the review did not deny; Done if nothing is left open. */
export async function settleParent(dir: string, issue: Issue, said: string): Promise<Issue | Refused> {
	const parent = lastOf(dir, issue);
	if (parent === null) return issue;
	const denied = new Set(deniedIn(said).map(plain));
	const holds = parent.criteria.map(({ text }) => text).filter((text) => !denied.has(plain(text)));
	const ticked = await tickCriteria(dir, parent.id, holds);
	if ("problem" in ticked) return ticked;
	return ticked.criteria.every((criterion) => criterion.done) ? setStatus(dir, parent.id, "Done") : ticked;
}
