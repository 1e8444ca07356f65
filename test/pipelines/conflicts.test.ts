// Stories of a feature-dev run that work side by side and change the same line.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { commit, fakeAgent, quote, type Rule, say } from "../support/fake-agent.ts";
import { exited } from "../support/pawl.ts";
import { type Site, site, story, touch, waitFor } from "../support/pipeline-site.ts";
import { put, scratchFolder } from "../support/scratch.ts";

const BOTH = [story(1, { depends_on: [] }), story(2, { depends_on: [] })];
const AFTER_BOTH = story(3, { depends_on: ["US-001", "US-002"] });
const LINE = 'printf "# scratch by %s\\n" "$PAWL_STORY_ID" > README.md';
/** What a test lets the agents know. */
const GATE = scratchFolder("gate");
const plan = (stories: readonly object[]): Rule => ({
	when: { type: "plan" },
	do: [say(`STATUS: done\nBRANCH: feature/both\nSTORIES_JSON: ${JSON.stringify(stories)}`)],
});

/** Both begin before either has ended, and the second one's work is only brought when the first has landed. */
function sideBySide(resolve: readonly string[], stories: readonly object[] = BOTH): ReturnType<typeof fakeAgent> {
	const gate = scratchFolder("gate");
	const write = [`${touch(`${gate}/there-`)}"$PAWL_STORY_ID"`, waitFor(`${gate}/there-US-001`), waitFor(`${gate}/there-US-002`)];
	return fakeAgent([
		plan(stories),
		{ when: { type: "implement", story: "US-003" }, do: ["echo more > more.txt", commit("feat: US-003"), say("STATUS: done")] },
		{ when: { type: "implement", nth: 1 }, do: [...write, LINE, commit("feat: the title"), say("STATUS: done\nCHANGES: title")] },
		{ when: { type: "implement" }, do: [...resolve, say("STATUS: done\nCHANGES: both titles")] },
		{ do: [say("STATUS: done")] },
	]);
}
const run = (s: Site, agent: ReturnType<typeof fakeAgent>) =>
	s.pawl("run", "feature-dev", "Two titles", "--agents", "2", "--agent-command", agent.command);
const subjects = (s: Site, branch: string) => s.git("log", "--reverse", "--format=%s", `main..${branch}`).split("\n");
const ended = ["plan", "implement", "verify", "test", "pr", "review"].map((name) => [name, "done"]);

const REBASE = "git rebase -q feature/both >/dev/null 2>&1";
const RESOLVE = [
	REBASE,
	'git show feature/both:README.md > README.md && printf "# and by %s\n" "$PAWL_STORY_ID" >> README.md',
	"git add -A && git -c core.editor=true rebase --continue >/dev/null",
];

test("whoever comes second puts its work on top of the other's, is verified again, and both are there", async () => {
	const s = site();
	const agent = sideBySide(RESOLVE, [...BOTH, AFTER_BOTH]);
	exited(await run(s, agent), 0);
	assert.deepEqual(Object.entries(s.steps()), ended);
	assert.deepEqual(s.stories(), ["US-001 done 0", "US-002 done 0", "US-003 done 0"], "a conflict is not bad work: it costs no retry");
	const [late] = agent.of("implement").slice(2);
	const [first, second] = late?.story === "US-001" ? ["US-002", "US-001"] : ["US-001", "US-002"];
	assert.equal(late?.story, second);
	assert.match(late?.prompt ?? "", new RegExp(`on the branch ralph/[0-9a-z-]+/${second}, which left feature/both`));
	assert.match(late?.prompt ?? "", /Why this step runs again[\s\S]*conflict with feature\/both in README\.md/);
	assert.deepEqual(
		agent
			.of("verify")
			.map((c) => c.story)
			.toSorted(),
		[first, second, second, "US-003"].toSorted(),
	);
	assert.equal(s.git("show", "feature/both:README.md"), `# scratch by ${first}\n# and by ${second}`);
	assert.deepEqual(
		subjects(s, "feature/both").map((line) => line.slice(0, 19)),
		[first, second, "US-003"].map((id) => `feat(ralph): ${id}`),
	);
	assert.equal(s.git("worktree", "list").split("\n").length, 1);
	assert.equal(s.git("branch", "--list", "ralph/*"), "");
});

test("a rebase that is left unfinished is a failed try: it is put back, and the next one finds the story's work", async () => {
	const s = site();
	const agent = sideBySide([`if [ "$nth" = 2 ]; then ${REBASE}; else`, ...RESOLVE, "fi"]);
	exited(await run(s, agent), 0);
	const late = agent.of("implement").slice(2);
	assert.equal(late.length, 2);
	assert.equal(late[0]?.head, late[1]?.head, "the second try begins where the first did");
	assert.match(late[1]?.prompt ?? "", /unfinished rebase/);
	assert.deepEqual(s.stories().toSorted(), [`${late[0]?.story} done 1`, ...s.stories().filter((line) => line.endsWith(" 0"))].toSorted());
	assert.match(s.git("show", "feature/both:README.md"), /^# scratch by US-00.\n# and by US-00.$/);
});

test("a conflict that nobody resolves fails the run with both works there; retry goes on, and it can be resolved then", async () => {
	const s = site();
	const agent = sideBySide([`if [ -e ${quote(join(GATE, "may"))} ]; then :`, ...RESOLVE, "fi"]);
	exited(await run(s, agent), 1);
	const [second = ""] = s.stories().filter((line) => line.includes(" failed "));
	const id = second.slice(0, 6);
	assert.deepEqual([s.rows("select status from runs"), s.steps()["implement"]], [[{ status: "failed" }], "failed"]);
	assert.equal(agent.of("implement").filter((c) => c.story === id).length, 4, "the first time, and three times for the conflict");
	assert.equal(subjects(s, "feature/both").length, 1);
	assert.deepEqual(subjects(s, `refs/pawl/kept/${id}`), ["feat: the title"], "its own work is kept");
	assert.equal(agent.of("implement").filter((c) => c.story === "US-003").length, 0);
	put(GATE, { may: "" });
	exited(await s.pawl("retry"), 0);
	assert.deepEqual(Object.entries(s.steps()), ended);
	assert.match(s.git("show", "feature/both:README.md"), new RegExp(`^# scratch by US-00.\n# and by ${id}$`));
	assert.equal(subjects(s, "feature/both").length, 2);
	assert.equal(s.git("branch", "--list", "ralph/*"), "");
});
