// C7: the command that starts a run again has every flag that the run was started with.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startFlags } from "./start-flags.ts";

const formats = {
	prd: { flag: "--prd <file>", help: "", readers: [] },
	supervisor: { flag: "--no-supervisor", help: "", readers: [] },
};

test("G-16: every option that a person typed is a flag again, quoted for a shell, with whole paths", () => {
	assert.equal(startFlags({}, formats, "/repo"), "");
	assert.equal(
		startFlags({ agentCommand: "node my agent.js", model: "large", yes: true, checks: false }, formats, "/repo"),
		" --agent-command 'node my agent.js' --model large --yes --no-checks",
	);
	assert.equal(
		startFlags({ effort: "low", only: { coding: { agent: "codex", model: "gpt 5" }, review: { effort: "high" } } }, formats, "/repo"),
		" --effort low --agent coding=codex --model 'coding=gpt 5' --effort review=high",
	);
	assert.equal(
		startFlags(
			{
				flags: { prd: "prd.json", supervisor: false },
				agents: 2,
				agent: "scripted",
				script: "a script.yml",
				role: { check: { agent: "codex", model: null }, make: { agent: "claude", model: "opus" } },
				fallback: ["gemini", "codex"],
				base: "main",
				timeout: { coding: 2_700_000 },
				maxCost: 2.5,
				allowUnknownCost: true,
				maxTime: 3_600_000,
				maxWait: 90_000,
				sharedDir: "out",
				maxIterations: 3,
				delay: 1_000,
				push: true,
			},
			formats,
			"/repo",
		),
		" --prd prd.json --no-supervisor --agents 2 --agent scripted --script '/repo/a script.yml' --role check=codex --role make=claude:opus" +
			" --fallback gemini --fallback codex --base main --timeout coding=45m --max-cost 2.5 --allow-unknown-cost --max-time 1h --max-wait 1m30s" +
			" --shared-dir /repo/out --max-iterations 3 --delay 1s --push",
	);
});
