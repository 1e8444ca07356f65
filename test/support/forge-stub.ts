// As much of GitHub's and GitLab's API as the real `gh` and `glab` need for what pawl asks of them, on loopback and without TLS: gh talks plain HTTP to
// `github.localhost` and is sent here by a proxy, glab to the address that its configuration names. Where there is no glab, a stand-in takes its place.
import { spawnSync } from "node:child_process";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after } from "node:test";
import { glabStandIn } from "./glab-stand-in.ts";
import { git, put, scratchFolder } from "./scratch.ts";

export const hasGh = spawnSync("gh", ["--version"]).status === 0;
export const hasGlab = spawnSync("glab", ["--version"]).status === 0;

export interface StubIssue {
	readonly number: number;
	readonly title: string;
	readonly body: string;
	readonly labels: readonly string[];
	readonly comments: string[];
}

export interface StubRequest {
	readonly number: number;
	readonly head: string;
	readonly base: string;
	readonly title: string;
	readonly body: string;
	state: "open" | "merged" | "closed";
}

export interface ForgeStub {
	readonly issues: StubIssue[];
	readonly requests: StubRequest[];
	/** Every call, as `POST /path`. */
	readonly calls: string[];
	/** The next so many calls are answered with 502. */
	away: number;
	/** The environment of the program, which is logged in here, and of git. */
	readonly env: Readonly<Record<string, string>>;
	/** The address of the repository there. */
	readonly remote: string;
}

export const TOKEN = "glpat-0123456789abcdefghij";
type Json = Readonly<Record<string, unknown>>;

/** A repository `acme/widgets` on a forge of this kind. */
export async function forgeStub(kind: "gh" | "glab"): Promise<ForgeStub> {
	const folder = scratchFolder("forge");
	const host = kind === "gh" ? "github.localhost" : "gitlab.test";
	const stub = { issues: [] as StubIssue[], requests: [] as StubRequest[], calls: [] as string[], away: 0 };
	const server = createServer((request, response) => {
		void answer(
			request,
			response,
			(path, body) => (kind === "gh" ? gitHub : gitLab)(stub, `http://${host}`, request.method ?? "", path, body),
			stub,
		);
	});
	await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
	after(() => {
		server.closeAllConnections();
		server.close();
	});
	const at = `127.0.0.1:${(server.address() as AddressInfo).port}`;
	put(folder, {
		"gh/hosts.yml": `${host}:\n  oauth_token: ${TOKEN}\n  user: ann\n  git_protocol: https\n`,
		"glab/config.yml": `check_update: false\nhosts:\n  ${host}:\n    api_protocol: http\n    api_host: ${at}\n    token: ${TOKEN}\n`,
	});
	spawnSync("chmod", ["600", join(folder, "glab", "config.yml")]);
	return Object.assign(stub, {
		remote: `http://${host}/acme/widgets.git`,
		env: {
			GH_CONFIG_DIR: join(folder, "gh"),
			GLAB_CONFIG_DIR: join(folder, "glab"),
			http_proxy: `http://${at}`,
			HTTP_PROXY: `http://${at}`,
			no_proxy: "127.0.0.1",
			NO_PROXY: "127.0.0.1",
			...(kind === "glab" && !hasGlab ? { PATH: `${glabStandIn()}:${process.env["PATH"]}` } : {}),
		},
	});
}

/** Gives a repository this remote; what is pushed goes into a folder, which comes back. */
export function withForge(repo: string, stub: ForgeStub): string {
	const bare = scratchFolder("bare");
	git(bare, "init", "-q", "--bare", "-b", "main");
	git(repo, "push", "-q", bare, "main");
	git(repo, "remote", "add", "origin", stub.remote);
	git(repo, "config", `url.${bare}.pushInsteadOf`, stub.remote);
	return bare;
}

async function answer(
	request: IncomingMessage,
	response: ServerResponse,
	made: (path: string, body: Json) => unknown,
	stub: { readonly calls: string[]; away: number },
): Promise<void> {
	const parts: Buffer[] = [];
	for await (const part of request) parts.push(part as Buffer);
	const text = Buffer.concat(parts).toString("utf8");
	const path = (request.url ?? "").replace(/^http:\/\/[^/]*/, "");
	stub.calls.push(`${request.method} ${path}`);
	const body = text.startsWith("{") ? (JSON.parse(text) as Json) : Object.fromEntries(new URLSearchParams(text));
	const away = stub.away > 0;
	if (away) stub.away--;
	const result = away ? undefined : made(path, body);
	response.writeHead(away ? 502 : result === undefined ? 404 : 200, { "content-type": "application/json" });
	response.end(JSON.stringify(away ? { message: "Bad Gateway" } : (result ?? { message: "Not Found" })));
}

type Stub = Pick<ForgeStub, "issues" | "requests">;

function gitHub(stub: Stub, web: string, method: string, path: string, body: Json): unknown {
	const url = new URL(path, web);
	const page = `${web}/acme/widgets`;
	const issue = (one: StubIssue) => ({
		...{ number: one.number, title: one.title, body: one.body, state: "open", comments: one.comments.length },
		...{ html_url: `${page}/issues/${one.number}`, user: { login: "ann" }, labels: one.labels.map((name) => ({ name })) },
	});
	const comment = (text: string, at: number) => ({
		id: at + 1,
		body: text,
		user: { login: "bob" },
		html_url: `${page}/issues/1#c-${at + 1}`,
	});
	const of = (n: string | undefined) => stub.issues.find(({ number }) => String(number) === n);
	if (url.pathname === "/") return {};
	if (url.pathname === "/graphql") {
		const query = String(body["query"]);
		return { data: askedFor(graph(stub, page, query, (body["variables"] ?? {}) as Json), query) };
	}
	if (url.pathname === "/search/issues") {
		const asked = url.searchParams.get("q") ?? "";
		if (!asked.startsWith("repo:acme/widgets is:issue is:open")) return undefined;
		const labels = [...asked.matchAll(/label:"([^"]*)"/g)].map((match) => match[1] ?? "");
		const found = stub.issues.filter((one) => labels.every((label) => one.labels.includes(label)));
		return { total_count: found.length, items: found.map(issue) };
	}
	const [, number, comments] = /^\/repos\/acme\/widgets\/issues\/(\d+)(\/comments)?$/.exec(url.pathname) ?? [];
	const found = of(number);
	if (found === undefined) return undefined;
	if (comments === undefined) return issue(found);
	if (method === "POST") found.comments.push(String(body["body"]));
	return method === "POST" ? comment(String(body["body"]), found.comments.length - 1) : found.comments.map(comment);
}

/** gh takes no field that it did not ask for. */
function askedFor(value: unknown, query: string): unknown {
	if (Array.isArray(value)) return value.map((one) => askedFor(one, query));
	if (typeof value !== "object" || value === null) return value;
	const asked = Object.entries(value).filter(([key]) => new RegExp(`\\b${key}\\b`).test(query));
	return Object.fromEntries(asked.map(([key, one]) => [key, askedFor(one, query)]));
}

function graph({ requests }: Stub, page: string, query: string, variables: Json): unknown {
	const seen = (one: StubRequest) => ({
		...{ id: `PR_${one.number}`, number: one.number, url: `${page}/pull/${one.number}`, state: one.state.toUpperCase() },
		...{ title: one.title, headRefName: one.head, baseRefName: one.base, isCrossRepository: false, isDraft: false },
	});
	if (/mutation PullRequestCreate/.test(query)) {
		const { headRefName, baseRefName, title, body } = variables["input"] as Record<string, string>;
		const made: StubRequest = {
			...{
				number: requests.length + 1,
				head: headRefName ?? "",
				base: baseRefName ?? "",
				title: title ?? "",
				body: body ?? "",
				state: "open",
			},
		};
		requests.push(made);
		return { createPullRequest: { pullRequest: seen(made) } };
	}
	const head = variables["headBranch"] ?? variables["headRefName"];
	const states = variables["state"] ?? variables["states"];
	const found = requests.filter(
		(one) => (head === undefined || one.head === head) && (!Array.isArray(states) || states.includes(one.state.toUpperCase())),
	);
	const byNumber = requests.find(({ number }) => number === Number(variables["pr_number"] ?? variables["number"]));
	return {
		viewer: { login: "ann" },
		repository: {
			...{ id: "R_1", name: "widgets", owner: { login: "acme" }, hasIssuesEnabled: true, viewerPermission: "WRITE", isPrivate: false },
			defaultBranchRef: { name: "main" },
			pullRequests: { totalCount: found.length, nodes: found.map(seen), pageInfo: { hasNextPage: false, endCursor: "" } },
			...(byNumber === undefined ? {} : { pullRequest: seen(byNumber) }),
		},
	};
}

function gitLab(stub: Stub, web: string, method: string, path: string, body: Json): unknown {
	const url = new URL(path, web);
	const page = `${web}/acme/widgets/-`;
	const project = { id: 1, path_with_namespace: "acme/widgets", default_branch: "main", web_url: `${web}/acme/widgets` };
	const at = url.pathname.replace(/^\/api\/v4/, "").replace(/^\/projects\/(?:acme%2Fwidgets|1)/, "/project");
	const issue = (one: StubIssue) => ({
		...{ iid: one.number, title: one.title, description: one.body, state: "opened", user_notes_count: one.comments.length },
		...{ web_url: `${page}/issues/${one.number}`, author: { username: "ann" }, labels: one.labels },
	});
	const note = (text: string, n: number) => ({ id: n + 1, body: text, system: false, author: { username: "bob" } });
	const request = (one: StubRequest) => ({
		...{
			iid: one.number,
			title: one.title,
			web_url: `${page}/merge_requests/${one.number}`,
			state: one.state === "open" ? "opened" : one.state,
		},
		...{ source_branch: one.head, target_branch: one.base, description: one.body },
	});
	if (at === "/user") return { id: 1, username: "ann" };
	if (at === "/project") return project;
	if (at === "/project/issues") {
		const labels = (url.searchParams.get("labels") ?? "").split(",").filter((label) => label !== "");
		return stub.issues.filter((one) => labels.every((label) => one.labels.includes(label))).map(issue);
	}
	if (at === "/project/merge_requests") {
		if (method !== "POST") {
			const branch = url.searchParams.get("source_branch");
			return stub.requests.filter((one) => one.state === "open" && (branch === null || one.head === branch)).map(request);
		}
		const made: StubRequest = {
			...{ number: stub.requests.length + 1, head: String(body["source_branch"]), base: String(body["target_branch"]) },
			...{ title: String(body["title"]), body: String(body["description"]), state: "open" as const },
		};
		stub.requests.push(made);
		return request(made);
	}
	const [, asked] = /^\/project\/merge_requests\/(\d+)$/.exec(at) ?? [];
	if (asked !== undefined) return stub.requests.filter((one) => String(one.number) === asked).map(request)[0];
	const [, number, notes] = /^\/project\/issues\/(\d+)(\/notes)?$/.exec(at) ?? [];
	const found = stub.issues.find((one) => String(one.number) === number);
	if (found === undefined) return undefined;
	if (notes === undefined) return issue(found);
	if (method === "POST") found.comments.push(String(body["body"]));
	return method === "POST" ? note(String(body["body"]), found.comments.length - 1) : found.comments.map(note).toReversed();
}
