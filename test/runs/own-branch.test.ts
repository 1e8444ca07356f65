// T-43: a prompt and a prd.json as other tools have them tell agents to work on the branch that the prd.json names. pawl makes it first, so that
// an agent that does what its prompt says finds itself there.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import type { RunsContext } from "../../src/runs/context.ts";
import { UNOBSERVED } from "../../src/runs/drive/observer.ts";
import { asRefusal } from "../../src/runs/refusal.ts";
import { prepare } from "../../src/runs/start/prepare.ts";
import { startRun } from "../../src/runs/start/start.ts";
import { services } from "../../src/wiring.ts";
import { git, put, repository, scratchFolder } from "../support/scratch.ts";

const PRD = {
	project: "x",
	branchName: "ralph/priority",
	userStories: [{ id: "US-001", title: "Add it", description: "d", acceptanceCriteria: ["it is there"], priority: 1, passes: false }],
};
/** As its prompt says: on the right branch, one story, committed, then marked. */
const WORK =
	"git checkout -q ralph/priority || git checkout -q -b ralph/priority; echo x > us-001.txt; git add us-001.txt; git commit -qm 'feat: US-001 - Add it'; sed -i 's/\"passes\": false/\"passes\": true/' scripts/ralph/prd.json";
const SCRIPT = `steps:\n  - on: {role: worker}\n    do: [{run: [sh, -c, ${JSON.stringify(WORK)}]}, {say: "Done.\\n\\n<promise>COMPLETE</promise>"}]\n  - do: [{say: "STEERING_NEEDED: no\\nACCEPTED: yes\\nREASON: fine"}]\n`;

function site(): RunsContext & { readonly script: string; readonly warnings: string[] } {
	const folder = scratchFolder("own-branch");
	put(folder, { "script.yml": SCRIPT });
	const files = {
		"scripts/ralph/prompt.md": "Do one story.\n\n<promise>COMPLETE</promise>\n",
		"scripts/ralph/prd.json": JSON.stringify(PRD, null, 2),
		// Long enough for what pawl itself writes into the run folder now and then.
		"pawl.yml": "checks: {test: sleep 0.4}\n",
	};
	const warnings: string[] = [];
	return {
		...{ cwd: repository(files), services, now: Date.now, self: [], warnings, script: `${folder}/script.yml` },
		env: { PATH: process.env["PATH"], HOME: folder, XDG_CONFIG_HOME: folder },
		warn: (text) => void warnings.push(text),
	};
}

it("T-43 pawl makes the branch where the user stands; the work is there, and the branch that was checked out stays as it was", async () => {
	const c = site();
	const main = git(c.cwd, "rev-parse", "main");
	const { ended } = await startRun(c, await prepare(c, "ralph", "scripts/ralph/prompt.md", { script: c.script, maxIterations: 4 }), {
		...UNOBSERVED,
		onDriving: () => ({ onEvents: () => {}, onWarning: c.warn, close: () => {} }),
	});
	assert.equal(ended?.state.status, "completed", ended?.state.reason ?? "");
	assert.deepEqual([git(c.cwd, "branch", "--show-current"), git(c.cwd, "rev-parse", "main")], ["ralph/priority", main]);
	assert.match(git(c.cwd, "log", "--format=%s", "main..ralph/priority"), /feat: US-001 - Add it/);
	assert.match(readFileSync(`${c.cwd}/scripts/ralph/prd.json`, "utf8"), /"passes": true/);
	assert.deepEqual(existsSync(join(ended?.sharedDir ?? "", "checks")), false);
	assert.doesNotMatch(c.warnings.join("\n"), /while checks ran/, "its own files do not count");
	assert.match(c.warnings.join("\n"), /made the branch ralph\/priority and switched to it/);
});

it("T-43 a branch that exists is the user's to switch to, and looking at the run first makes none", async () => {
	const c = site();
	const prepared = await prepare(c, "ralph", "scripts/ralph/prompt.md", { script: c.script });
	prepared.repository.freeTree();
	assert.equal(git(c.cwd, "branch", "--show-current"), "main");
	git(c.cwd, "branch", "ralph/priority");
	const refused = await prepare(c, "ralph", "scripts/ralph/prompt.md", { script: c.script }).then(() => null, asRefusal);
	assert.equal(refused?.code, "refused");
	assert.match(refused?.message ?? "", /git switch ralph\/priority/);
});
