// Whether a TODO folder is consistent: every issue is readable, its references exist, no issue depends on itself, and the lists in the
// README and in the parents match the issues.

import { linesOf, sectionsOf } from "../../../text/markdown.ts";
import { README, readFile } from "./folder.ts";
import { type Issue, isIssueId, type Refused, STATUSES, SUB_ISSUES } from "./issue.ts";
import { idOfLine, statusOfLine } from "./listing.ts";
import { listIssues } from "./tracker.ts";

export interface Inconsistency {
	/** In the TODO folder. */
	readonly file: string;
	/** From 1. */
	readonly line: number;
	readonly text: string;
}

export function checkTracker(dir: string): readonly Inconsistency[] | Refused {
	const all = listIssues(dir);
	if ("problem" in all) return all;
	const unreadable = all.problems.map((text): Inconsistency => {
		const [, file = README, rest = text] = /^TODO\/([^\s:]+):?\s+(.*)$/s.exec(text) ?? [];
		return { file, line: 1, text: rest };
	});
	const names = new Set([...all.issues.map(({ id }) => id), ...unreadable.map(({ file }) => file.replace(/\.md$/, ""))]);
	return [
		...unreadable,
		...all.issues.flatMap((issue) => ofIssue(issue, names)),
		...cycles(all.issues),
		...all.issues.flatMap((issue) => subIssues(issue, all.issues)),
		...readme(dir, all.issues, names),
	];
}

function ofIssue(issue: Issue, names: ReadonlySet<string>): Inconsistency[] {
	const found: Inconsistency[] = [];
	const say = (key: string, text: string) => found.push({ file: `${issue.id}.md`, line: issue.lines[key] ?? 1, text });
	if (issue.status === null) say("status", `its status is none of ${STATUSES.join(", ")}`);
	for (const id of issue.dependsOn) {
		if (!isIssueId(id)) say("depends-on", `it depends on ${JSON.stringify(id)}, which is not an issue id`);
		else if (!names.has(id)) say("depends-on", `it depends on ${id}, which is not there`);
	}
	if (issue.parent !== null && !names.has(issue.parent)) say("parent", `its parent ${issue.parent} is not there`);
	if (issue.status === "Done" && issue.criteria.some(({ done }) => !done))
		say("status", `it is Done with ${issue.criteria.filter(({ done }) => !done).length} of its criteria open`);
	return found;
}

/** One finding for each circle of dependencies or of parents, at the issue with the lowest id in it. */
function cycles(issues: readonly Issue[]): Inconsistency[] {
	const byId = new Map(issues.map((issue) => [issue.id, issue]));
	const found = new Map<string, Inconsistency>();
	const walk = (key: "depends-on" | "parent", next: (issue: Issue) => readonly string[]) => {
		const over = new Set<string>();
		const visit = (issue: Issue, path: readonly string[]): void => {
			const at = path.indexOf(issue.id);
			if (at !== -1) {
				const circle = path.slice(at);
				const name = `${key} ${[...circle].sort().join(" ")}`;
				const text = key === "parent" ? "it is its own ancestor" : "it waits for itself";
				if (!found.has(name))
					found.set(name, { file: `${issue.id}.md`, line: issue.lines[key] ?? 1, text: `${text}: ${[...circle, issue.id].join(" → ")}` });
				return;
			}
			if (over.has(issue.id)) return;
			for (const id of next(issue)) {
				const other = byId.get(id);
				if (other !== undefined) visit(other, [...path, issue.id]);
			}
			over.add(issue.id);
		};
		for (const issue of issues) visit(issue, []);
	};
	walk("depends-on", (issue) => issue.dependsOn);
	walk("parent", (issue) => (issue.parent === null ? [] : [issue.parent]));
	return [...found.values()];
}

/** The parent's list has every child, with its status. */
function subIssues(parent: Issue, issues: readonly Issue[]): Inconsistency[] {
	const file = `${parent.id}.md`;
	const lines = linesOf(parent.text);
	const section = sectionsOf(lines, SUB_ISSUES)[0];
	const listed = (section ? lines.slice(section.heading, section.end) : []).flatMap((line, index) => {
		const id = idOfLine(line);
		return id === null ? [] : [{ id, text: line.text, line: (section?.heading ?? 0) + index + 1 }];
	});
	const missing = issues
		.filter((issue) => issue.parent === parent.id && !listed.some(({ id }) => id === issue.id))
		.map(({ id }) => ({ file, line: (section?.heading ?? 0) + 1, text: `its sub-issue ${id} is not in the list` }));
	return [...missing, ...wrongStatus(file, listed, issues)];
}

function readme(dir: string, issues: readonly Issue[], names: ReadonlySet<string>): Inconsistency[] {
	const text = readFile(dir, README);
	if (typeof text !== "string") return [{ file: README, line: 1, text: text.missing ? "it is not there" : text.problem }];
	const listed = linesOf(text).flatMap((line, index) => {
		const id = idOfLine(line);
		return id === null ? [] : [{ id, text: line.text, line: index + 1 }];
	});
	const missing = issues.filter((issue) => !listed.some(({ id }) => id === issue.id));
	const prefixes = new Set([...names].map((id) => id.replace(/-\d+$/, "")));
	// Something with a hyphen and a number need not be an issue, unless it has a prefix that issues here have.
	const gone = listed.filter(({ id }) => !names.has(id) && prefixes.has(id.replace(/-\d+$/, "")));
	return [
		...missing.map(({ id }) => ({ file: README, line: 1, text: `it has no line for ${id}` })),
		...gone.map(({ id, line }) => ({ file: README, line, text: `${id} is not there` })),
		...wrongStatus(README, listed, issues),
	];
}

interface Listed {
	readonly id: string;
	readonly text: string;
	readonly line: number;
}

const wrongStatus = (file: string, listed: readonly Listed[], issues: readonly Issue[]): Inconsistency[] =>
	listed.flatMap(({ id, text, line }) => {
		const issue = issues.find((one) => one.id === id);
		if (issue === undefined || issue.status === null) return [];
		const said = statusOfLine(text, issue.title);
		return said === issue.status ? [] : [{ file, line, text: `it says ${said ?? "no status"} for ${id}, which is ${issue.status}` }];
	});
