// The tracker: functions over a `TODO/` folder with one file per issue and a README by categories. Every change of an issue also
// changes the lines about it in the README and in its parent. Every change is safe to repeat after a crash.

import { eolOf, linesOf, oneLine, sectionsOf } from "../../../text/markdown.ts";
import { createFile, idsIn, prepareFolder, README, readFile, readIssue, removeFile, replaceFile } from "./folder.ts";
import {
	type Issue,
	type IssueStatus,
	isIssueId,
	isStatus,
	prefixOf,
	type Refused,
	renderIssue,
	SUB_ISSUES,
	withStatus,
	withTicks,
} from "./issue.ts";
import {
	categoriesOf,
	categoryOf,
	type Entry,
	idOfLine,
	listedIn,
	markedIn,
	markedInSubIssues,
	OTHER,
	renderReadme,
	withoutLine,
	withSubIssues,
} from "./listing.ts";
import { highestNumber, withTrackerLock } from "./repository.ts";

export const FILED_LABELS = ["bug", "followup", "tech-debt", "split-from-run"] as const;
export type FiledLabel = (typeof FILED_LABELS)[number];

/** The readable issues, in the order of their ids, and the mistakes in the others. */
export function listIssues(dir: string): { readonly issues: readonly Issue[]; readonly problems: readonly string[] } | Refused {
	const ids = idsIn(dir);
	if ("problem" in ids) return ids;
	const read = ids.map((id) => readIssue(dir, id));
	return {
		issues: read.flatMap((one) => ("problem" in one ? [] : [one])),
		problems: read.flatMap((one) => ("problem" in one ? [one.problem] : [])),
	};
}

/** `Todo`, and everything that it depends on is `Done`. */
export function runnable(issues: readonly Issue[]): Issue[] {
	return issues.filter((issue) => issue.status === "Todo" && waitsFor(issue, issues).length === 0);
}

/** The issues that it depends on and that are not `Done` or do not exist. */
export function waitsFor(issue: Issue, issues: readonly Issue[]): string[] {
	return issue.dependsOn.filter((id) => issues.find((other) => other.id === id)?.status !== "Done");
}

/** In the issue, in the README and in the parent's list. */
export function setStatus(dir: string, id: string, status: IssueStatus): Promise<Issue | Refused> {
	return changing(dir, id, (issue) => withStatus(issue.text, status));
}

/** Ticks acceptance criteria by their texts, or all of them. */
export function tickCriteria(dir: string, id: string, which: "all" | readonly string[]): Promise<Issue | Refused> {
	return changing(dir, id, (issue) => withTicks(issue, which));
}

/** Under `## Comments`, as a quotation, so that the text cannot make a heading, a box or an entry. */
export function addComment(dir: string, id: string, text: string, at: number): Promise<Issue | Refused> {
	return changing(dir, id, (issue) => {
		const heading = `### ${new Date(at).toISOString()}`;
		const quoted = text
			.trim()
			.split(/\r?\n/)
			.map((line) => `> ${line}`.trimEnd());
		const lines = linesOf(issue.text);
		const section = sectionsOf(lines, /^comments$/i)[0];
		const end = section?.end ?? lines.length;
		const all = lines.map((line) => line.text);
		const said = all.slice(section?.heading ?? end, end).join("\n");
		if (said.includes([heading, "", ...quoted].join("\n"))) return issue.text;
		let last = end;
		while (last > 0 && all[last - 1]?.trim() === "") last--;
		const added = [...(section === undefined ? ["", "## Comments"] : []), "", heading, "", ...quoted, ""];
		return [...all.slice(0, last), ...added, ...all.slice(end)].join(eolOf(issue.text));
	});
}

function changing(dir: string, id: string, edit: (issue: Issue) => string | Refused): Promise<Issue | Refused> {
	return withTrackerLock(dir, async () => {
		const issue = readIssue(dir, id);
		if ("problem" in issue) return issue;
		const problem = beyondProblem(dir, issue) ?? prepareFolder(dir);
		if (problem !== null) return problem;
		const text = edit(issue);
		if (typeof text !== "string") return { problem: `TODO/${id}.md: ${text.problem}` };
		const failed = text === issue.text ? null : replaceFile(dir, `${id}.md`, text);
		if (failed !== null) return failed;
		const changed = readIssue(dir, id);
		return "problem" in changed ? changed : (propagate(dir, changed, false) ?? changed);
	});
}

export interface IssueRequest {
	/** Names it within the run that files it: filing the same key again updates the issue. */
	readonly key: string;
	readonly title: string;
	readonly label: FiledLabel;
	/** Ids, or keys of others of the same request. */
	readonly dependsOn: readonly string[];
	/** Everything that a reader without other knowledge needs. */
	readonly body: string;
}

export interface FileRequest {
	/** The parent of the new issues, which get its prefix. */
	readonly parent: string;
	readonly run: string;
	readonly issues: readonly IssueRequest[];
	/** Withdraws issues that this run filed under keys with this prefix and that are no longer in the list. */
	readonly replaces?: string;
}

export interface Filed {
	/** The id of each key. */
	readonly ids: Readonly<Record<string, string>>;
	readonly created: readonly string[];
	readonly updated: readonly string[];
	readonly withdrawn: readonly string[];
}

/** Files sub-issues, or updates those that this run filed before. */
export function fileIssues(dir: string, request: FileRequest): Promise<Filed | Refused> {
	return withTrackerLock(dir, async () => {
		const parent = readIssue(dir, request.parent);
		const all = listIssues(dir);
		if ("problem" in parent) return parent;
		if ("problem" in all) return all;
		const problem = requestProblem(request) ?? beyondProblem(dir, { parent: null }) ?? prepareFolder(dir);
		if (problem !== null) return problem;
		const mine = new Map(
			all.issues.flatMap((issue) => (ofRun(issue, request.run) === null ? [] : [[ofRun(issue, request.run) ?? "", issue]])),
		);
		const unwanted = [...mine].flatMap(([key, issue]) =>
			request.replaces !== undefined && key.startsWith(request.replaces) && !request.issues.some((one) => one.key === key) ? [issue] : [],
		);
		const withdrawn = withdrawing(dir, unwanted);
		if ("problem" in withdrawn) return withdrawn;
		let number = await highestNumber(dir, prefixOf(request.parent));
		const ids: Record<string, string> = {};
		for (const { key } of request.issues) ids[key] = mine.get(key)?.id ?? `${prefixOf(request.parent)}-${++number}`;
		const wrong = Object.values(ids).find((id) => !isIssueId(id));
		if (wrong !== undefined) return { problem: `${wrong} would not be an issue id: the numbers are used up` };
		const created: string[] = [];
		const updated: string[] = [];
		for (const one of request.issues) {
			const old = mine.get(one.key);
			const id = ids[one.key] ?? "";
			// Somebody has started on it, so its text is theirs now.
			if (old !== undefined && old.status !== "Todo") continue;
			const dependsOn = one.dependsOn.map((name) => ids[name] ?? name).filter((name) => name !== id);
			const text = renderIssue({
				id,
				title: one.title,
				status: "Todo",
				category: parent.category ?? categoryIn(dir, parent.id),
				parent: parent.id,
				labels: [one.label],
				dependsOn,
				filedBy: `${request.run}/${one.key}`,
				body: one.body,
			});
			const failed = old === undefined ? createFile(dir, `${id}.md`, text) : text === old.text ? null : replaceFile(dir, `${id}.md`, text);
			if (failed === "exists") return { problem: `TODO/${id}.md is there already; it is not overwritten` };
			if (failed !== null) return failed;
			(old === undefined ? created : updated).push(id);
		}
		for (const id of Object.values(ids)) {
			const issue = readIssue(dir, id);
			const failed = "problem" in issue ? issue : propagate(dir, issue, true);
			if (failed !== null) return failed;
		}
		return { ids, created, updated, withdrawn: withdrawn.ids };
	});
}

/** Withdraws issues that a run filed and nobody started; all of them, or those whose keys have this prefix. */
export function withdrawIssues(dir: string, run: string, keys = ""): Promise<{ readonly ids: readonly string[] } | Refused> {
	return withTrackerLock(dir, async () => {
		const all = listIssues(dir);
		if ("problem" in all) return all;
		return withdrawing(
			dir,
			all.issues.filter((issue) => ofRun(issue, run)?.startsWith(keys)),
		);
	});
}

function withdrawing(dir: string, issues: readonly Issue[]): { readonly ids: readonly string[] } | Refused {
	const ids: string[] = [];
	for (const issue of issues.filter(({ status }) => status === "Todo")) {
		const failed =
			removeFile(dir, `${issue.id}.md`) ??
			edit(dir, README, (text) => withoutLine(text, issue.id)) ??
			listInParent(dir, issue, issue.id, true);
		if (failed !== null) return failed;
		ids.push(issue.id);
	}
	return { ids };
}

const ofRun = (issue: Issue, run: string): string | null =>
	issue.filedBy?.startsWith(`${run}/`) ? issue.filedBy.slice(run.length + 1) : null;

function requestProblem({ run, issues }: FileRequest): Refused | null {
	if (!/^[\w.-]+$/.test(run)) return { problem: `${JSON.stringify(run)} is not the id of a run` };
	const wrong = issues.find(({ key }) => !/^[\w.:/-]{1,100}$/.test(key));
	if (wrong) return { problem: `${JSON.stringify(wrong.key)} is no key: letters, digits and . _ : / - are` };
	if (new Set(issues.map((one) => one.key)).size < issues.length) return { problem: "two issues have the same key" };
	const keys = new Set(issues.map((one) => one.key));
	const unknown = issues.flatMap((one) => one.dependsOn).find((name) => !keys.has(name) && !isIssueId(name));
	return unknown === undefined ? null : { problem: `${JSON.stringify(unknown)} is neither an issue's id nor a key of this request` };
}

export interface NewRequest {
	readonly title: string;
	/** Default: the parent's, or else the one that most issues here have, or else TODO. */
	readonly prefix?: string;
	readonly category?: string;
	readonly parent?: string;
	readonly labels: readonly string[];
	readonly dependsOn: readonly string[];
	/** The id is known only now. */
	readonly body: (id: string) => string;
}

/** A new issue of a person. */
export function newIssue(dir: string, request: NewRequest): Promise<Issue | Refused> {
	return withTrackerLock(dir, async () => {
		const problem = prepareFolder(dir) ?? beyondProblem(dir, { parent: request.parent ?? null });
		const ids = problem ?? idsIn(dir);
		if ("problem" in ids) return ids;
		const parent = request.parent === undefined ? null : readIssue(dir, request.parent);
		if (parent !== null && "problem" in parent) return parent;
		const unknown = request.dependsOn.find((id) => !ids.includes(id));
		if (unknown !== undefined) return { problem: `there is no issue ${unknown} to depend on` };
		const prefix = request.prefix ?? (parent ? prefixOf(parent.id) : commonPrefix(ids));
		if (!isIssueId(`${prefix}-1`)) return { problem: `${JSON.stringify(prefix)} is no prefix of ids: letters and digits, such as GAL` };
		const id = `${prefix}-${(await highestNumber(dir, prefix)) + 1}`;
		if (!isIssueId(id)) return { problem: `${id} would not be an issue id: the numbers are used up` };
		const readme = readFile(dir, README);
		const known = typeof readme === "string" ? categoriesOf(readme) : [];
		const inherited = parent === null ? null : (parent.category ?? categoryIn(dir, parent.id));
		const category = oneLine(request.category ?? inherited ?? (known.length === 1 ? (known[0] ?? OTHER) : OTHER));
		const text = renderIssue({
			id,
			title: request.title,
			status: "Todo",
			category,
			parent: parent?.id ?? null,
			labels: request.labels,
			dependsOn: request.dependsOn,
			filedBy: null,
			body: request.body(id),
		});
		const failed = createFile(dir, `${id}.md`, text);
		if (failed === "exists") return { problem: `TODO/${id}.md is there already; it is not overwritten` };
		const made = failed ?? readIssue(dir, id);
		return "problem" in made ? made : (propagate(dir, made, true) ?? made);
	});
}

function commonPrefix(ids: readonly string[]): string {
	const counts = new Map<string, number>();
	for (const id of ids) counts.set(prefixOf(id), (counts.get(prefixOf(id)) ?? 0) + 1);
	return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0] ?? "TODO";
}

const categoryIn = (dir: string, id: string): string | null => {
	const readme = readFile(dir, README);
	return typeof readme === "string" ? categoryOf(readme, id) : null;
};

/** Other files that would have to change with an issue but cannot; checked before any change. */
function beyondProblem(dir: string, issue: Pick<Issue, "parent">): Refused | null {
	const readme = readFile(dir, README);
	if (typeof readme !== "string" && !readme.missing) return readme;
	const parent = issue.parent === null ? null : readIssue(dir, issue.parent);
	return parent !== null && "problem" in parent && !parent.missing ? parent : null;
}

/** Updates the lines about an issue; with `anew` also the order of its parent's list. */
function propagate(dir: string, issue: Issue, anew: boolean): Refused | null {
	const { id, title, status, parent } = issue;
	const readme = readFile(dir, README);
	if (typeof readme !== "string") {
		if (!readme.missing) return readme;
		const all = listIssues(dir);
		const failed = "problem" in all ? all : createFile(dir, README, renderReadme(all.issues));
		if (failed !== null && failed !== "exists") return failed;
	} else {
		const failed = edit(dir, README, (text) => {
			const listed = listedIn(text, issue, issue.category ?? OTHER, parent);
			return status === null ? listed : markedIn(listed, id, title, status);
		});
		if (failed !== null) return failed;
	}
	return listInParent(dir, issue, null, anew);
}

/** The parent's list: all issues that name it as their parent, and its other entries. */
function listInParent(dir: string, issue: Issue, gone: string | null, anew: boolean): Refused | null {
	if (issue.parent === null || issue.parent === issue.id) return null;
	const parent = readIssue(dir, issue.parent);
	if ("problem" in parent) return parent.missing ? null : parent;
	const all = listIssues(dir);
	if ("problem" in all) return all;
	const lines = linesOf(parent.text);
	const section = sectionsOf(lines, SUB_ISSUES)[0];
	const listed = section ? lines.slice(section.heading, section.end).flatMap((line) => idOfLine(line) ?? []) : [];
	const { id, title, status } = issue;
	if (!anew && listed.includes(id) && status !== null)
		return edit(dir, `${parent.id}.md`, (text) => markedInSubIssues(text, id, title, status));
	const children = all.issues.filter((one) => one.parent === parent.id).map((one) => one.id);
	const entries = [...new Set([...children, ...listed])]
		.filter((id) => id !== gone)
		.map((id): Entry => all.issues.find((one) => one.id === id) ?? { id, title: id, status: null, dependsOn: [] });
	return edit(dir, `${parent.id}.md`, (text) => withSubIssues(text, entries));
}

function edit(dir: string, name: string, change: (text: string) => string): Refused | null {
	const text = readFile(dir, name);
	if (typeof text !== "string") return text.missing ? null : text;
	const changed = change(text);
	return changed === text ? null : replaceFile(dir, name, changed);
}

export { isIssueId, isStatus, readIssue };
