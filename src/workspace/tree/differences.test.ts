// What is known of trees without asking git has to be git's answer, however many looks, commits and ways back lie between two of them.
import assert from "node:assert/strict";
import { chmodSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { OwnIndex } from "./own-index.ts";
import { type Scratch, scratchRepository } from "./scratch-repository.suite.ts";

const indexOf = ({ root }: Scratch): OwnIndex => {
	const gitDir = join(root, ".git");
	return new OwnIndex({ path: root, gitDir, commonDir: gitDir, index: join(gitDir, "pawl", "index.test"), userFlags: false });
};

function byGit({ git }: Scratch, from: string, to: string): unknown {
	const raw = git(["diff-tree", "-r", "-z", "--no-renames", "--name-status", from, to]).split("\0");
	return Array.from({ length: Math.floor(raw.length / 2) }, (_, i) => [raw[2 * i], raw[2 * i + 1]]);
}

type Work = (s: Scratch) => void;

const commit: Work = ({ git }) => {
	git(["add", "-A"]);
	git(["commit", "-qm", "more"]);
};

/** Each is followed by a look. */
const SERIES: Readonly<Record<string, readonly Work[]>> = {
	"files that come and go": [
		(s) => s.write("x/new.txt", "new\n"),
		(s) => s.write("c.txt", "c\n"),
		(s) => rmSync(join(s.root, "x"), { recursive: true }),
	],
	"a file that is again what it was": [
		(s) => s.write("a.txt", "other\n"),
		(s) => s.write("b.txt", "other\n"),
		(s) => s.write("a.txt", "a\n"),
	],
	"a mode that changes twice": [
		(s) => chmodSync(join(s.root, "a.txt"), 0o755),
		(s) => s.write("a.txt", "other\n"),
		(s) => chmodSync(join(s.root, "a.txt"), 0o644),
	],
	"work that is committed at once": [
		(s) => {
			s.write("a.txt", "other\n");
			commit(s);
		},
		(s) => {
			s.write("d/e.txt", "e\n");
			s.git(["rm", "-q", "b.txt"]);
			commit(s);
		},
	],
	"work that is committed after a look": [(s) => s.write("d/e.txt", "e\n"), commit, (s) => s.write("d/f.txt", "f\n"), commit],
	"work of which a part is committed": [
		(s) => {
			s.write("a.txt", "other\n");
			s.write("b.txt", "other\n");
			s.git(["commit", "-qm", "a", "a.txt"]);
		},
		(s) => s.write("new.txt", "new\n"),
	],
	"a commit that the files do not follow": [
		(s) => s.write("d/e.txt", "e\n"),
		(s) => {
			commit(s);
			s.write("d/e.txt", "not committed\n");
		},
		(s) => rmSync(join(s.root, "d"), { recursive: true }),
	],
	"files of pawl in a commit": [
		(s) => {
			s.write(".pawl/note", "mine\n");
			s.write("a.txt", "other\n");
			commit(s);
		},
		(s) => s.write("b.txt", "other\n"),
	],
	"a commit that is taken back": [
		(s) => {
			s.write("a.txt", "other\n");
			commit(s);
		},
		({ git }) => void git(["reset", "-q", "--hard", "HEAD~1"]),
	],
	"a file that hides from the checkout's index": [
		(s) => {
			s.git(["update-index", "--skip-worktree", "a.txt"]);
			s.write("a.txt", "other\n");
			s.write("new.txt", "new\n");
			s.git(["add", "new.txt"]);
			s.git(["commit", "-qm", "new"]);
		},
		(s) => s.write("b.txt", "other\n"),
	],
};

for (const [name, works] of Object.entries(SERIES))
	test(`trees of looks and commits, with ${name}`, async (t) => {
		const s = scratchRepository(t);
		const index = indexOf(s);
		const seen = [await index.look()];
		for (const work of works) {
			work(s);
			const look = await index.look();
			seen.push(look);
			const head = s.git(["rev-parse", "HEAD"]);
			assert.equal(look.commit, head);
			for (const { tree, commit: at } of seen) {
				assert.equal(await index.treeOf(at ?? ""), s.git(["rev-parse", `${at}^{tree}`]));
				const known = index.differences(tree, look.tree);
				if (known !== null || tree !== look.tree) assert.deepEqual(known, byGit(s, tree, look.tree));
				const ofCommits = index.differencesOfCommits(at ?? "", head);
				if (ofCommits !== null) assert.deepEqual(ofCommits, byGit(s, at ?? "", head));
			}
		}
		assert.equal(s.git(["fsck", "--strict", "--no-dangling"]), "");
	});

test("a look that cannot say what it found leaves a gap: nothing is known across it", async (t) => {
	const s = scratchRepository(t);
	const index = indexOf(s);
	const first = await index.look();
	s.write("c.txt", "c\n");
	const second = await index.look();
	// git lists a repository inside the checkout as one name.
	s.git(["init", "-q", "inner"]);
	s.write("inner/x.txt", "x\n");
	await index.look();
	rmSync(join(s.root, "inner", ".git"), { recursive: true });
	s.write("d.txt", "d\n");
	const last = await index.look();
	assert.deepEqual(index.differences(first.tree, second.tree), [["A", "c.txt"]]);
	assert.deepEqual([index.differences(first.tree, last.tree), index.differences(second.tree, last.tree)], [null, null]);
});
