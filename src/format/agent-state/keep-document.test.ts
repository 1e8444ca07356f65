// The task document is the user's: whatever a working session does to it is put back, kept and told, and the task goes on.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { BUILT_IN } from "../../engine/testing/built-in.suite.ts";
import type { Turn } from "../../engine/testing/cast.suite.ts";
import { type Harness, harness } from "../../engine/testing/harness.suite.ts";

const DOC = "tasks/demo.md";
const phased = BUILT_IN["phased"]!;
const original = phased.files![DOC]!;

/** A run whose executor does this to the tree in its first session, beside its work. */
async function playedWith(t: TestContext, meddles: (turn: Turn) => void, pulled = false): Promise<Harness> {
	const works = phased.cast["task-executor"];
	let sessions = 0;
	const h = await harness(t, {
		...phased,
		pulled,
		cast: {
			...phased.cast,
			"task-executor": async (turn) => {
				const said = typeof works === "function" ? await works(turn) : works;
				if (sessions++ === 0) meddles(turn);
				return said;
			},
		},
	});
	assert.equal((await h.toHalt()).status, "completed");
	return h;
}

const keptIn = ({ sharedDir }: Harness): string[] => {
	const folder = join(sharedDir, "put_back");
	return existsSync(folder) ? readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8")) : [];
};

const putBack = async (h: Harness): Promise<string[]> =>
	(await h.events()).flatMap((event) => (event.event === "remarked" && event.text.startsWith("put back: ") ? [event.text] : []));

for (const [how, committed, pulled] of [
	["left uncommitted", false, false],
	["committed", true, false],
	["committed in a pulled step", true, true],
] as const) {
	test(`G-08 a task document that an executor changed and ${how} is put back, kept in the run's files and named`, async (t) => {
		const changed = original.replaceAll("- [ ]", "- [x]");
		assert.notEqual(changed, original);
		const meddles = ({ files, checkout }: Turn): void => {
			files.write(DOC, changed);
			if (committed) checkout.commitAll("tick the criteria");
		};
		const h = await playedWith(t, meddles, pulled);
		assert.equal(h.site.user.files.read(DOC), original, "the tree");
		assert.equal(h.site.user.committed().get(DOC), original, "what is delivered");
		assert.deepEqual(keptIn(h), [changed]);
		const [said, ...more] = await putBack(h);
		assert.match(said ?? "", /^put back: tasks\/demo\.md \(the task document is the user's; execute may not change it; .*put_back/);
		assert.deepEqual(more, []);
	});
}

test("G-08 a task document that an executor deleted is back, and there is nothing to keep", async (t) => {
	const h = await playedWith(t, ({ files, checkout }) => {
		files.remove(DOC);
		checkout.commitAll("tidy up");
	});
	assert.deepEqual([h.site.user.files.read(DOC), h.site.user.committed().get(DOC), keptIn(h)], [original, original, []]);
	assert.deepEqual(await putBack(h), ["put back: tasks/demo.md (the task document is the user's; execute may not change it)"]);
});

test("G-08 G-10 the commit that puts the document back holds nothing else that was left uncommitted", async (t) => {
	const h = await playedWith(t, ({ files, checkout }) => {
		files.write(DOC, "mine now");
		checkout.commitAll("tick the criteria");
		files.write("left.txt", "work that was not committed");
	});
	const { git } = h.site;
	const commits = [...git.ancestors(git.refs.get("refs/heads/main") ?? "")].map((id) => git.at(id));
	const back = commits.filter(({ message }) => message.startsWith("pawl: put back what task-executor may not change"));
	assert.equal(back.length, 1, commits.map(({ message }) => message).join("\n"));
	const [before, after] = [git.at(back[0]?.parents[0] ?? "").tree, back[0]?.tree];
	assert.deepEqual([before.get(DOC), after?.get(DOC)], ["mine now", original]);
	assert.equal(before.get("left.txt"), after?.get("left.txt"), "it tells of the document alone");
	assert.equal(h.site.user.committed().get("left.txt"), "work that was not committed");
});

test("a task document that nobody touched is not named", async (t) => {
	const h = await playedWith(t, () => {});
	assert.deepEqual([await putBack(h), keptIn(h)], [[], []]);
});
