// GitLab, through `glab`.
import { readFile } from "node:fs/promises";
import { withoutMiddle } from "../core/cut.ts";
import type { ForgeIssue } from "../core/remote/issue.ts";
import type { Forge, RequestState } from "../forge.ts";
import { api, countOf, type Fields, fieldsOf, listOf, textOf } from "./api.ts";
import { addressIn, addressOf, ask, loginProblem, openedBy } from "./command.ts";
import { glabServes } from "./serves.ts";

/** Below the limit for one argument of a program. */
const LONGEST_BYTES = 100 * 1024;

/** The text is an agent's, and GitLab executes lines of it that begin with `/merge` or `/assign`, with the rights of the user who is logged
 * in. GitLab ignores them in code blocks, so code blocks are not changed. */
export function description(text: string): string {
	let fence = "";
	const lines = text.split("\n").map((line) => {
		const [mark = ""] = /^ {0,3}(?:`{3,}|~{3,})/.exec(line)?.map((found) => found.trim()) ?? [];
		if (mark !== "" && (fence === "" || (mark.startsWith(fence) && line.trim() === mark))) fence = fence === "" ? mark : "";
		return fence === "" && /^\s*\/[a-z]/i.test(line) ? line.replace("/", "\\/") : line;
	});
	return withoutMiddle(lines.join("\n"), LONGEST_BYTES, "");
}

export const glab: Required<Forge> = {
	name: "glab",
	serves: glabServes,
	problem: (cwd, remoteUrl) => loginProblem("glab", "https://gitlab.com/gitlab-org/cli", cwd, remoteUrl),
	// Not `glab mr create`, which writes into the repository's git configuration.
	async open({ cwd, branch, base, title, bodyFile }) {
		const there = await api("glab", `${REQUESTS}?${new URLSearchParams({ state: "opened", source_branch: branch })}`, cwd);
		if ("problem" in there) return { problem: there.problem };
		const known = addressIn(textOf(listOf(there.value)[0]?.["web_url"]));
		if (known !== null) return { url: known };
		const fields = { source_branch: branch, target_branch: base, title, description: description(await readFile(bodyFile, "utf8")) };
		const raw = Object.entries(fields).flatMap(([name, value]) => ["--raw-field", `${name}=${value}`]);
		const made = await api("glab", REQUESTS, cwd, ["--method", "POST", ...raw]);
		if ("problem" in made) return { problem: made.problem };
		const url = addressIn(textOf(fieldsOf(made.value)["web_url"]));
		return url === null ? { problem: "glab printed no address" } : { url };
	},
	async issue({ cwd, title, bodyFile }) {
		const there = await ask("glab", ["issue", "list", "--all", "--output", "json"], cwd);
		const known = there.ok ? addressOf(there.stdout, title, "web_url") : null;
		if (known !== null) return { url: known };
		const body = description(await readFile(bodyFile, "utf8"));
		const made = await ask("glab", ["issue", "create", "--title", title, "--description", body, "--yes"], cwd);
		return openedBy("glab", made);
	},
	async readIssue(cwd, number) {
		const found = await api("glab", `${ISSUES}/${number}`, cwd);
		return "problem" in found ? { problem: found.problem } : withComments(cwd, fieldsOf(found.value));
	},
	async listIssues(cwd, { labels, milestone, author, assignee, words }, most) {
		const asked = new URLSearchParams({ state: "opened", order_by: "created_at", sort: "asc", per_page: String(most + 1) });
		if (labels.length > 0) asked.set("labels", labels.join(","));
		if (milestone !== undefined) asked.set("milestone", milestone);
		if (author !== undefined) asked.set("author_username", author);
		if (assignee === "@me") asked.set("scope", "assigned_to_me");
		else if (assignee !== undefined) asked.set("assignee_username", assignee);
		if (words !== "") asked.set("search", words);
		const found = await api("glab", `${ISSUES}?${asked}`, cwd);
		if ("problem" in found) return { problem: found.problem };
		const all = listOf(found.value);
		const issues: ForgeIssue[] = [];
		for (const item of all.slice(0, most)) {
			const read = await withComments(cwd, item);
			if ("problem" in read) return read;
			issues.push(read.issue);
		}
		return { issues, left: all.length - issues.length };
	},
	async comment(cwd, number, mark, textFile) {
		const there = await api("glab", `${ISSUES}/${number}/notes?${NEWEST}`, cwd);
		const issue = await api("glab", `${ISSUES}/${number}`, cwd);
		if ("problem" in there) return { problem: there.problem };
		const at = "problem" in issue ? "" : textOf(fieldsOf(issue.value)["web_url"]);
		const known = listOf(there.value).find(({ body }) => textOf(body).includes(mark));
		if (known !== undefined) return { url: `${at}#note_${countOf(known["id"])}` };
		const text = description(await readFile(textFile, "utf8"));
		const made = await api("glab", `${ISSUES}/${number}/notes`, cwd, ["--method", "POST", "--raw-field", `body=${text}`]);
		return "problem" in made ? { problem: made.problem } : { url: `${at}#note_${countOf(fieldsOf(made.value)["id"])}` };
	},
	async requestState(cwd, url) {
		const number = /\/merge_requests\/(\d{1,9})(?:$|[/?#])/.exec(url)?.[1];
		const found = number === undefined ? { problem: "" } : await api("glab", `${REQUESTS}/${number}`, cwd);
		return "problem" in found ? null : (STATES[textOf(fieldsOf(found.value)["state"])] ?? null);
	},
};

const ISSUES = "projects/:fullpath/issues";
const REQUESTS = "projects/:fullpath/merge_requests";
const NEWEST = "per_page=100&order_by=created_at&sort=desc";
const STATES: Readonly<Record<string, RequestState>> = { opened: "open", locked: "open", merged: "merged", closed: "closed" };

async function withComments(cwd: string, fields: Fields): Promise<{ readonly issue: ForgeIssue } | { readonly problem: string }> {
	const number = countOf(fields["iid"]);
	if (number === 0) return { problem: "glab printed no issue" };
	const found = countOf(fields["user_notes_count"]) === 0 ? { value: [] } : await api("glab", `${ISSUES}/${number}/notes?${NEWEST}`, cwd);
	if ("problem" in found) return { problem: found.problem };
	// What GitLab itself notes, such as a changed label, says nothing about the work.
	const notes = listOf(found.value).filter((note) => note["system"] !== true);
	return {
		issue: {
			number,
			title: textOf(fields["title"]),
			text: textOf(fields["description"]),
			url: textOf(fields["web_url"]),
			author: textOf(fieldsOf(fields["author"])["username"]),
			isOpen: fields["state"] === "opened",
			comments: notes.toReversed().map((note) => ({ author: textOf(fieldsOf(note["author"])["username"]), text: textOf(note["body"]) })),
		},
	};
}
