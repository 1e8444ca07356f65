// A process that merges one story, for tests that kill it. Arguments: root, slot, story. With PAWL_TEST_HOLD it stays
// in its check until it is ended. With PAWL_TEST_AHEAD its turn has not come.
import { join } from "node:path";
import { Worktrees } from "../slot/worktrees.ts";
import { mergeStory, stackStory } from "./merge.ts";
import { requestFor } from "./merge-fixture.suite.ts";

const [root = "", slot = "", story = ""] = process.argv.slice(2);
const commonDir = join(root, ".git");
const worktree = await new Worktrees({ root, commonDir, setup: null, copy: [], link: [] }).reopen(Number(slot), story);
if (worktree === null) throw new Error(`no worktree of ${story}`);

const check = async (): Promise<readonly string[]> => {
	process.stdout.write("checking\n");
	if (process.env["PAWL_TEST_HOLD"]) await new Promise((done) => setTimeout(done, 600_000));
	return [];
};
const request = { ...requestFor(root, story), check };
const paths = { root, commonDir, worktree };
const result = process.env["PAWL_TEST_AHEAD"]
	? await stackStory({ ...paths, request: { ...request, onto: null, stacked: async () => true } })
	: await mergeStory({ ...paths, request });
process.stdout.write(`${JSON.stringify(result)}\n`);
