// A run whose agent speaks the Agent Client Protocol, as pawl.yml names it.
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { stringify } from "yaml";
import type { Act } from "../../src/agent/acp/agent.child.ts";
import { builtOr } from "../support/bin.ts";
import { pawlExits, step, story } from "../support/pawl.ts";
import { git, put, read, repository } from "../support/scratch.ts";
import { smallWorkflow } from "../support/small-workflow.ts";

const configFor = (act: Act): string =>
	stringify({
		agent: "mine",
		agents: {
			mine: {
				type: "acp",
				command: `${process.execPath} ${builtOr("agent-child.mjs", "src/agent/acp/agent.child.ts")}`,
				args: [JSON.stringify(act)],
			},
		},
	});

function withAgent(act: (repo: string) => Act): string {
	const repo = repository();
	put(repo, { "pawl.yml": configFor(act(repo)) });
	git(repo, "add", "pawl.yml");
	git(repo, "commit", "-q", "-m", "configuration");
	return repo;
}

describe("a run with an agent of the Agent Client Protocol", () => {
	it("goes from its first step to its last, with files written through pawl where the step may write", async () => {
		const repo = withAgent((root) => ({
			ask: [{ method: "write", path: join(root, "made.txt"), content: "made by it\n" }],
			say: ["Looked and worked.\n\n## SUM", "MARY\n- done by acp\n"],
			usage: { inputTokens: 10, outputTokens: 5, costUsd: 0.25 },
		}));
		await pawlExits(0, ["run", smallWorkflow(), "Make a file"], { cwd: repo });
		const done = story(repo);
		assert.match(step(done, "look").notes ?? "", /done by acp\n\s*refused: .*made\.txt is not a file that may be written here/);
		assert.match(step(done, "work").notes ?? "", /done by acp\n\s*written/);
		assert.deepEqual([step(done, "work").cost_usd, step(done, "work").input_tokens], [0.25, 10]);
		assert.equal(git(repo, "show", "HEAD:made.txt"), "made by it");
		assert.match(read(repo, ".pawl", "latest", step(done, "work").log_file ?? ""), /done by acp/);
	});

	it("refuses a command that is not there, before anything starts (X-09)", async () => {
		const repo = repository({ "pawl.yml": stringify({ agents: { mine: { type: "acp", command: "no-such-agent --acp" } } }) });
		const ended = await pawlExits(2, ["run", smallWorkflow(), "Make a file", "--agent", "mine"], { cwd: repo });
		assert.match(ended.stderr, /no-such-agent is not found/);
		assert.match(
			(await pawlExits(2, ["run", smallWorkflow(), "Make a file", "--agent", "acp"], { cwd: repo })).stderr,
			/needs a `command` in pawl\.yml/,
		);
	});
});
