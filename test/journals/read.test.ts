// Journals that earlier versions of pawl wrote are read as they were meant, by the fold and by every command that shows something.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { exited } from "../support/pawl.ts";
import { assertFits } from "../support/schemas.ts";
import { git } from "../support/scratch.ts";
import { commitsOf, filesOf, journalOf, outlineOf, PERSON, stateOf } from "./fixture.ts";
import { KEPT } from "./kept.ts";

const WORKFLOWS = ["bug-fix", "dynamic", "feature-dev", "gated", "phased", "ralph", "security-audit"];

test("I19 there are journals of every built-in workflow, of runs that ended and of runs that were cut off", () => {
	for (const kind of ["finished", "cut-off"]) {
		const of = KEPT.filter(({ name }) => name.startsWith("0.1/") && name.endsWith(`.${kind}`));
		assert.deepEqual([...new Set(of.map(({ expected }) => expected.workflow))].sort(), WORKFLOWS, kind);
	}
});

for (const { name, expected, open } of KEPT)
	describe(`I19 ${name}`, () => {
		const { root, repo, pawl } = open();
		const { run, state } = expected;

		test("the fold gives the state that was recorded beside it", () => {
			assert.deepEqual(outlineOf(stateOf(root)), state);
			assert.equal(journalOf(root).length, state.version);
			assert.deepEqual(commitsOf(root), expected.commits);
		});

		test("pawl status shows it", async () => {
			const view = JSON.parse(exited(await pawl("status", run, "--json"), 0).stdout) as {
				readonly status: string;
				readonly workflow: string;
				readonly driven: boolean;
				readonly stories: readonly { readonly id: string; readonly status: string }[];
			};
			assert.deepEqual([view.status, view.workflow], [state.status, expected.workflow]);
			if (expected.cut_at !== null) assert.equal(view.driven, false);
			assert.deepEqual(Object.fromEntries(view.stories.map((s) => [s.id, s.status])), state.stories);
			const { stdout } = exited(await pawl("status"), 0);
			assert.match(stdout, new RegExp(`${expected.workflow} ${run} ${state.status}`));
		});

		test("pawl history shows every event", async () => {
			const lines = exited(await pawl("history", run, "--json"), 0)
				.stdout.trimEnd()
				.split("\n");
			for (const line of lines) assertFits("event", JSON.parse(line));
			assert.deepEqual(
				lines.map((line) => (JSON.parse(line) as { event: string }).event),
				journalOf(root).map((event) => event.event),
			);
			assert.equal(
				exited(await pawl("history"), 0)
					.stdout.trimEnd()
					.split("\n").length,
				state.version,
			);
		});

		test("pawl cost shows what was spent", async () => {
			const spent = JSON.parse(exited(await pawl("cost", run, "--json"), 0).stdout) as Record<string, number | null>;
			const { cost_usd, input_tokens, output_tokens } = state;
			assert.equal(spent["cost_usd"], cost_usd === null ? null : Math.round(cost_usd * 1e6) / 1e6);
			assert.deepEqual([spent["input_tokens"], spent["output_tokens"]], [input_tokens, output_tokens]);
			assert.match(exited(await pawl("cost"), 0).stdout, cost_usd === null ? /./ : /total/);
		});

		test("looking changed nothing, and a finished run has nothing left to do", async () => {
			if (state.status === "completed") exited(await pawl("resume"), 0);
			assert.deepEqual([outlineOf(stateOf(root)), commitsOf(root)], [state, expected.commits]);
		});

		test("it names nobody and no machine", () => {
			assert.equal(
				git(repo, "log", "--all", "--format=%an <%ae>%n%cn <%ce>").replaceAll(`${PERSON.name} <${PERSON.email}>`, "").trim(),
				"",
			);
			const objects = execFileSync("git", ["cat-file", "--batch-all-objects", "--batch"], { cwd: repo }).toString("latin1");
			for (const text of [objects, ...filesOf(root).map((file) => readFileSync(file, "latin1"))])
				assert.doesNotMatch(text.replaceAll(root, ""), /\/(?:home|root|Users|tmp)\/|[\w.]+@(?!example\.com)[\w-]+\.\w+/);
		});
	});
