// A machine as a process of its own, for tests that kill it. Arguments: the home of the site, the machine's name, the address; then, for a merge, the story in slot 1.
// Without a story it opens its clone and stays until it is ended.
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Worktrees } from "../slot/worktrees.ts";
import { openClone } from "./clone.ts";
import { mergeOverRemote } from "./remote-base.ts";
import { requestFor } from "./remote-fixture.suite.ts";

const [home = "", name = "", address = "", story] = process.argv.slice(2);
const clone = await openClone(address, join(home, name));
process.stdout.write(`${"problem" in clone ? `${clone.code}: ${clone.problem}` : "open"}\n`);
if ("problem" in clone) process.exit(1);
if (story === undefined) await new Promise((done) => setTimeout(done, 600_000));
else {
	const { root, remote } = clone;
	const commonDir = join(root, ".git");
	const worktree = await new Worktrees({ root, commonDir, setup: null, copy: [], link: [] }).reopen(1, story, "run-1");
	if (worktree === null) throw new Error(`no worktree of ${story}`);
	const journal = join(home, `announced-${story}`);
	const request = requestFor(
		{
			announced: () => (existsSync(journal) ? readFileSync(journal, "utf8").trimEnd().split("\n") : []),
			announce: (_, made) => appendFileSync(journal, `${made}\n`),
		},
		story,
	);
	const result = await mergeOverRemote({ root, commonDir, worktree, request, remote, turn: async () => () => {} });
	process.stdout.write(`${JSON.stringify(result)}\n`);
	clone.close();
}
