// `--pr`: whatever the workflow, the run ends in one pull request, and base stays where it is.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { startedWith } from "../../core/started-with.ts";
import type { Forge } from "../../forge.ts";
import { BUILT_IN } from "../testing/built-in.suite.ts";
import { Harness, type HarnessOptions, harness } from "../testing/harness.suite.ts";
import { dieAt } from "../testing/life.suite.ts";

interface Request {
	readonly url: string;
	readonly branch: string;
	readonly base: string;
	readonly title: string;
	readonly body: string;
}

/** A forge in memory: a branch has one open request. `troubles` are told first, one for each call. */
function forgeOf(troubles: string[] = []): Forge & { readonly requests: Request[]; calls: number } {
	const requests: Request[] = [];
	const forge = {
		name: "gh",
		requests,
		calls: 0,
		serves: () => true,
		problem: async () => null,
		open: async ({ branch, base, title, bodyFile }: Parameters<Forge["open"]>[0]) => {
			forge.calls++;
			const problem = troubles.shift();
			if (problem !== undefined) return { problem };
			const known = requests.find((one) => one.branch === branch);
			if (known !== undefined) return { url: known.url };
			const made = { url: `https://forge.invalid/pr/${requests.length + 1}`, branch, base, title, body: readFileSync(bodyFile, "utf8") };
			requests.push(made);
			return { url: made.url };
		},
	};
	return forge;
}

const REMOTES = [{ name: "origin", url: "https://forge.invalid/a/b.git", defaultBranch: "main" }];
const withPr = (options: HarnessOptions, forge: Forge): HarnessOptions => ({ ...options, pr: "main", remotes: REMOTES, forges: [forge] });
const dynamic = BUILT_IN["dynamic"] as HarnessOptions;

describe("--pr", () => {
	for (const [name, options] of Object.entries(BUILT_IN)) {
		// One stops at its commit, the other commits nothing.
		if (name === "gated" || name === "plan") continue;
		test(`${name}: one pull request, from a branch of the run; base is not moved`, async (t) => {
			const forge = forgeOf();
			const h = await harness(t, withPr(options, forge));
			const main = h.site.git.refs.get("refs/heads/main");
			const ended = await h.drive();
			assert.equal(ended.how, "halted");
			const state = await h.state();
			assert.equal(state.status, "completed", state.reason ?? "");
			const [request, ...more] = forge.requests;
			assert.deepEqual(more, []);
			assert.equal(request?.base, "main");
			assert.notEqual(request?.branch, "main");
			assert.equal(h.site.git.refs.get("refs/heads/main"), main, "base moved");
			assert.deepEqual(state.pullRequest, { url: request?.url, branch: request?.branch, base: "main" });
			assert.equal((await h.events()).filter((e) => e.event === "pull_request_opened").length, 1);
			assert.match(request?.body ?? "", /Made by pawl, run run-1\. Cost: /);
			assert.equal(h.site.pushes.at(-1)?.as, request?.branch);
		});
	}

	test("the text has what was asked, the criteria with their evidence, what was said, the checks and the cost", async (t) => {
		const forge = forgeOf();
		const story = { id: "US-1", title: "Accept tabs", description: "d", criteria: ["tabs are accepted"], priority: 1, dependsOn: [] };
		const h = await harness(t, withPr({ ...dynamic, stories: [story] }, forge));
		await h.drive();
		const body = forge.requests[0]?.body ?? "";
		assert.match(body, /- US-1: Accept tabs\n {2}- \[x\] tabs are accepted: final_review \(agent\) says done/);
		assert.match(body, /## Changes\n\n- US-1: .*it is done/);
		assert.match(body, /## Checks\n\n- lint \(`lint`\): passed/);
		assert.match(body, /Cost: 10 sessions/);
	});

	test("a network that is away is waited for; the run goes on by itself", async (t) => {
		const forge = forgeOf(["error connecting to api.github.com", "HTTP 502: Bad Gateway"]);
		const h = await harness(t, withPr(dynamic, forge));
		await h.drive();
		const state = await h.state();
		assert.deepEqual([state.status, forge.calls, forge.requests.length], ["completed", 3, 1]);
		assert.equal((await h.events()).filter((e) => e.event === "step_postponed").length, 2);
	});

	test("what the forge refuses waits for a person, and loses nothing: a retry opens it", async (t) => {
		const forge = forgeOf(["HTTP 403: Resource not accessible by personal access token"]);
		const h = await harness(t, withPr(dynamic, forge));
		await h.drive();
		const before = await h.state();
		assert.deepEqual([before.status, before.pullRequest], ["waiting", undefined]);
		assert.deepEqual(
			before.stories.map(({ status }) => status),
			["completed", "completed"],
		);
		const at = h.clock.now();
		await h.drive(undefined, [
			{ type: "resume", at },
			{ type: "decide", at, scope: null, step: null, verdict: "retry", reason: "" },
			{ type: "advance", at },
		]);
		assert.deepEqual([(await h.state()).status, forge.requests.length], ["completed", 1]);
	});

	test("without a forge that is logged in the run waits and says what to do; the branch is pushed", async (t) => {
		const forge = { ...forgeOf(), problem: async () => "gh is not logged in to forge.invalid: gh auth login --hostname forge.invalid" };
		const h = await harness(t, withPr(dynamic, forge));
		await h.drive();
		const waits = (await h.events()).flatMap((e) => (e.event === "step_waiting" ? [e.reason] : []));
		assert.match(waits.at(-1) ?? "", /pawl\/run-1 is pushed to origin, and gh is not logged in to forge\.invalid: gh auth login/);
	});

	test("an address with a password in it is told without", async (t) => {
		const refuses = "fatal: Authentication failed for 'https://me:s3cr3tw0rd@forge.invalid/a/b.git/'";
		const h = await harness(t, {
			...withPr(dynamic, forgeOf()),
			remotes: [{ name: "origin", url: "https://forge.invalid/a/b.git", refuses }],
		});
		await h.drive();
		assert.doesNotMatch(JSON.stringify(await h.events()), /s3cr3tw0rd/);
	});

	test("a comment on an issue that cannot be made costs the run nothing; one is made once, also after a crash", async (t) => {
		const story = { id: "ISSUE-7", title: "Accept tabs", description: "d", criteria: [], priority: 1, dependsOn: [], issue: 7 };
		const comments: string[] = [];
		const comment: Forge["comment"] = async (_, number, mark, file) => {
			const text = readFileSync(file, "utf8");
			if (text.includes(" began ")) return { problem: "HTTP 403: forbidden" };
			if (!comments.some((one) => one.includes(mark))) comments.push(text);
			return { url: `https://forge.invalid/${number}` };
		};
		const h = await harness(t, {
			...withPr({ ...dynamic, stories: [story] }, { ...forgeOf(), comment }),
			options: { agents: 2, comments: true },
		});
		await h.drive((boundary) => (boundary === "after forge comment" && comments.length === 1 ? "die" : "go"));
		await h.drive();
		assert.equal((await h.state()).status, "completed");
		assert.equal(comments.length, 1);
		const told = (await h.events()).flatMap((e) => (e.event === "issue_commented" ? [`${e.about} ${e.url} ${e.problem ?? ""}`] : []));
		assert.deepEqual(told, ["started null gh: HTTP 403: forbidden", "ended https://forge.invalid/7 "]);
	});

	test("killed after any of its last operations, the run makes exactly one pull request", async (t) => {
		const calm = new Harness(withPr(dynamic, forgeOf()));
		t.after(() => calm.remove());
		await calm.create();
		const { life } = await calm.drive();
		const last = life.boundaries.length;
		for (let at = last - 12; at < last; at++) {
			const forge = forgeOf();
			const h = new Harness(withPr(dynamic, forge));
			try {
				await h.create();
				await h.drive(dieAt(at));
				const ended = await h.drive();
				assert.equal(ended.how, "halted", `killed at ${at}`);
				const state = await h.state();
				assert.deepEqual([state.status, forge.requests.length, startedWith(state).pr], ["completed", 1, true], `killed at ${at}`);
			} finally {
				h.remove();
			}
		}
	});
});
