// Issues of the forge as the input of a run: one as a request, or those that fit a query as stories.

import { findCycles } from "../core/graph.ts";
import type { StorySeed } from "../core/input.ts";
import type { ReachedIssues } from "../core/remote/issue.ts";
import { readQuery } from "./issue-query.ts";
import { issueStory, issueText, titleOf } from "./issue-story.ts";

/** As a reader returns it. */
export type ReadIssues =
	| {
			readonly ok: true;
			readonly title: string;
			readonly stories: readonly StorySeed[];
			readonly input: Readonly<Record<string, string>>;
			readonly fields: Readonly<Record<string, string>>;
			readonly source: readonly string[];
			readonly deliveredBy: readonly string[];
			readonly growing?: string;
			readonly warnings?: readonly string[];
	  }
	| { readonly ok: false; readonly problems: readonly string[] };

interface Asked {
	forge?(): Promise<ReachedIssues | { readonly problem: string }>;
}

/** More are a backlog, and not the work of one run. */
const MOST_ISSUES = 50;

export async function readOneIssue({ forge }: Asked, number: number): Promise<ReadIssues> {
	const reached = (await forge?.()) ?? NO_FORGE;
	if ("problem" in reached) return no(`--issue: ${reached.problem}`);
	const read = (await reached.forge.readIssue?.(reached.cwd, number)) ?? NO_ISSUES;
	if ("problem" in read) return no(`--issue ${number}: ${reached.forge.name} cannot read it: ${read.problem}`);
	const { issue } = read;
	return {
		ok: true,
		title: `#${number} ${titleOf(issue)}`,
		stories: [issueStory(issue, 1)],
		input: { request: issueText(issue), issue: String(number), issue_url: issue.url, project: reached.project },
		fields: {},
		source: ["project", "issue"],
		deliveredBy: ["project"],
		...(issue.isOpen ? {} : { warnings: [`issue #${number} is closed`] }),
	};
}

export async function readManyIssues({ forge }: Asked, text: string): Promise<ReadIssues> {
	const query = readQuery(text);
	if ("problem" in query) return no(`--issues ${query.problem}`);
	const reached = (await forge?.()) ?? NO_FORGE;
	if ("problem" in reached) return no(`--issues: ${reached.problem}`);
	const read = (await reached.forge.listIssues?.(reached.cwd, query, MOST_ISSUES)) ?? NO_ISSUES;
	if ("problem" in read) return no(`--issues: ${reached.forge.name} cannot list them: ${read.problem}`);
	const issues = read.issues.toSorted((a, b) => a.number - b.number);
	if (issues.length === 0) return no(`--issues: no open issue fits ${text}`);
	const numbers = issues.map((issue) => issue.number);
	return {
		ok: true,
		title: `Issues ${text}`,
		stories: withoutCycles(issues.map((issue, at) => issueStory(issue, at + 1, numbers))),
		input: { issues: text, project: reached.project },
		fields: {},
		source: ["project", "issues"],
		deliveredBy: ["project"],
		growing: `the issues ${text}`,
		...(read.left > 0 ? { warnings: [`more than ${MOST_ISSUES} issues fit ${text}: this run takes the oldest ${MOST_ISSUES}`] } : {}),
	};
}

/** Whoever can write an issue must not be able to keep the others from being worked on. */
function withoutCycles(stories: readonly StorySeed[]): StorySeed[] {
	const cycles = findCycles(stories);
	const together = (one: string, other: string): boolean => cycles.some((cycle) => cycle.includes(one) && cycle.includes(other));
	return stories.map((story) => ({ ...story, dependsOn: story.dependsOn.filter((id) => !together(story.id, id)) }));
}

const no = (problem: string): ReadIssues => ({ ok: false, problems: [problem] });
const NO_FORGE = { problem: "there is no forge to ask" };
const NO_ISSUES = { problem: "it has no issues" };
