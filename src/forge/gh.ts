// GitHub, through `gh`.
import type { ForgeIssue, IssueQuery } from "../core/remote/issue.ts";
import type { Forge, RequestState } from "../forge.ts";
import { api, countOf, type Fields, fieldsOf, listOf, textOf } from "./api.ts";
import { addressIn, addressOf, ask, loginProblem, openedBy } from "./command.ts";
import { ghServes } from "./serves.ts";

export const gh: Required<Forge> = {
	name: "gh",
	serves: ghServes,
	problem: (cwd, remoteUrl) => loginProblem("gh", "https://cli.github.com", cwd, remoteUrl),
	async open({ cwd, branch, base, title, bodyFile }) {
		const there = await ask("gh", ["pr", "list", "--head", branch, "--state", "open", "--json", "url", "--jq", ".[0].url"], cwd);
		if (!there.ok) return { problem: there.problem };
		const known = addressIn(there.stdout);
		if (known !== null) return { url: known };
		const made = await ask("gh", ["pr", "create", "--base", base, "--head", branch, "--title", title, "--body-file", bodyFile], cwd);
		return openedBy("gh", made);
	},
	async issue({ cwd, title, bodyFile }) {
		const there = await ask("gh", ["issue", "list", "--state", "all", "--limit", "200", "--json", "title,url"], cwd);
		const known = there.ok ? addressOf(there.stdout, title, "url") : null;
		if (known !== null) return { url: known };
		const made = await ask("gh", ["issue", "create", "--title", title, "--body-file", bodyFile], cwd);
		return openedBy("gh", made);
	},
	async readIssue(cwd, number) {
		const found = await api("gh", `repos/{owner}/{repo}/issues/${number}`, cwd);
		if ("problem" in found) return { problem: found.problem };
		const fields = fieldsOf(found.value);
		if ("pull_request" in fields) return { problem: `#${number} is a pull request, not an issue` };
		return withComments(cwd, fields);
	},
	async listIssues(cwd, query, most) {
		// Issues of other repositories are never asked for.
		const asked = ["repo:{owner}/{repo}", ...["is:issue", "is:open", ...termsOf(query)].map(encodeURIComponent)].join("+");
		const found = await api("gh", `search/issues?q=${asked}&sort=created&order=asc&per_page=${most}`, cwd);
		if ("problem" in found) return { problem: found.problem };
		const { items, total_count: total } = fieldsOf(found.value);
		const issues: ForgeIssue[] = [];
		for (const item of listOf(items).slice(0, most)) {
			const read = await withComments(cwd, item);
			if ("problem" in read) return read;
			issues.push(read.issue);
		}
		return { issues, left: Math.max(0, countOf(total) - issues.length) };
	},
	async comment(cwd, number, mark, textFile) {
		const path = `repos/{owner}/{repo}/issues/${number}/comments`;
		const there = await api("gh", `${path}?per_page=100&page=${await lastPage(cwd, number)}`, cwd);
		if ("problem" in there) return { problem: there.problem };
		const known = listOf(there.value).find(({ body }) => textOf(body).includes(mark));
		if (known !== undefined) return { url: textOf(known["html_url"]) };
		const made = await api("gh", path, cwd, ["--method", "POST", "--field", `body=@${textFile}`]);
		return "problem" in made ? { problem: made.problem } : { url: textOf(fieldsOf(made.value)["html_url"]) };
	},
	async requestState(cwd, url) {
		const answer = await ask("gh", ["pr", "view", url, "--json", "state", "--jq", ".state"], cwd);
		return answer.ok ? (STATES[answer.stdout.toLowerCase()] ?? null) : null;
	},
};

const STATES: Readonly<Record<string, RequestState>> = { open: "open", merged: "merged", closed: "closed" };

const quotedTerm = (name: string, value: string | undefined): string[] =>
	value === undefined ? [] : [value === "@me" ? `${name}:@me` : `${name}:"${value.replaceAll('"', "")}"`];

const termsOf = ({ labels, milestone, author, assignee, words }: IssueQuery): string[] => [
	...labels.flatMap((label) => quotedTerm("label", label)),
	...quotedTerm("milestone", milestone),
	...quotedTerm("author", author),
	...quotedTerm("assignee", assignee),
	...words.split(/\s+/).filter((word) => word !== ""),
];

const lastPage = async (cwd: string, number: number): Promise<number> => {
	const found = await api("gh", `repos/{owner}/{repo}/issues/${number}`, cwd);
	return pageOf("problem" in found ? 0 : countOf(fieldsOf(found.value)["comments"]));
};

const pageOf = (comments: number): number => Math.max(1, Math.ceil(comments / 100));

async function withComments(cwd: string, fields: Fields): Promise<{ readonly issue: ForgeIssue } | { readonly problem: string }> {
	const number = countOf(fields["number"]);
	const count = countOf(fields["comments"]);
	if (number === 0) return { problem: "gh printed no issue" };
	const path = `repos/{owner}/{repo}/issues/${number}/comments?per_page=100&page=${pageOf(count)}`;
	const found = count === 0 ? { value: [] } : await api("gh", path, cwd);
	if ("problem" in found) return { problem: found.problem };
	return {
		issue: {
			number,
			title: textOf(fields["title"]),
			text: textOf(fields["body"]),
			url: textOf(fields["html_url"]),
			author: textOf(fieldsOf(fields["user"])["login"]),
			isOpen: fields["state"] === "open",
			comments: listOf(found.value).map((one) => ({ author: textOf(fieldsOf(one["user"])["login"]), text: textOf(one["body"]) })),
		},
	};
}
