import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { RunOptions } from "./model.ts";
import { NO_AGENT, type StartedWith, startedWith, toShell } from "./started-with.ts";

const options = (shell: RunOptions["shell"]): { options: RunOptions } => ({
	options: { mode: "request", agents: 1, slots: [1], base: "main", yes: false, maxWaitMs: null, timeouts: {}, budgets: {}, shell },
});
const whole: StartedWith = {
	agent: { agent: "command", command: "agent.sh", script: null, model: null },
	roles: { reviewer: { agent: "claude", command: null, script: null, model: "opus" } },
	steps: { coding: { dev: { agent: "claude", command: null, script: null, model: "haiku", effort: "low", tier: "fast" } } },
	fallback: [{ agent: "codex", command: null, script: null, model: null, tiers: { fast: { model: "mini", effort: null } } }],
	root: "/checkout",
	sharedDir: "/r/.pawl/runs/1",
	within: ["20260101-000000-aaaa:US-001:step-003:1"],
	unchecked: false,
	ephemeral: false,
	checks: { test: "npm test" },
	startCommit: "abc",
	push: true,
	pr: true,
	target: "main",
	exclude: ["/state/"],
	pull: true,
	settings: "5e77",
	commitStyle: { form: "plain", capital: true, period: false, example: "Accept tabs" },
	serialMerges: true,
	requires: ["gpu"],
	sandbox: { type: "bwrap", network: "agents", read: ["~/.m2"], write: [], image: null, runtime: null },
};

describe("what a run was started with", () => {
	it("is read back as it was written, also through JSON", () => {
		assert.deepEqual(startedWith(options(JSON.parse(JSON.stringify(toShell(whole))))), whole);
	});

	it("is written without unset keys, as journals always had it", () => {
		assert.deepEqual(
			Object.keys(
				toShell({
					...whole,
					root: "",
					steps: {},
					pr: false,
					target: "",
					exclude: [],
					pull: false,
					within: [],
					settings: "",
					commitStyle: null,
					serialMerges: false,
					requires: [],
					sandbox: null,
				}),
			).sort(),
			[...["agent", "checks", "fallback", "push", "roles", "sharedDir", "startCommit"]],
		);
	});

	it("has a flag only if it is set, and takes nothing but true for it", () => {
		const none = {
			...whole,
			exclude: [],
			pull: false,
			within: [],
			settings: "",
			commitStyle: null,
			serialMerges: false,
			requires: [],
			sandbox: null,
			push: false,
		};
		for (const key of ["unchecked", "ephemeral", "pull", "serialMerges", "push"] as const) {
			const set = toShell({ ...none, [key]: true });
			assert.deepEqual([set[key], startedWith(options(set))[key]], [true, true], key);
			assert.equal(startedWith(options({ [key]: "yes" }))[key], false, key);
		}
	});

	it("is complete for a journal of an earlier version that lacks keys", () => {
		const read = startedWith(options({ sharedDir: "/s" }));
		assert.deepEqual(read, {
			...{ agent: NO_AGENT, roles: {}, steps: {}, fallback: [], sharedDir: "/s", root: "", checks: {} },
			...{
				unchecked: false,
				ephemeral: false,
				startCommit: "",
				push: false,
				pr: false,
				target: "",
				exclude: [],
				pull: false,
				within: [],
				settings: "",
				commitStyle: null,
				serialMerges: false,
				requires: [],
				sandbox: null,
			},
		});
	});
});
