// A release of a small repository, with real git: what it refuses, what it changes, and that a failure or a dry run changes nothing.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { release, releasedChangelog, releaseProblems, type Work } from "../../scripts/release.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "pawl-release-test-")));
after(() => rmSync(root, { recursive: true, force: true }));
const git = (...args: readonly string[]): string => execFileSync("git", args, { cwd: root, encoding: "utf8" }).trimEnd();
const write = (name: string, text: string): void => writeFileSync(join(root, name), text);
const read = (name: string): string => readFileSync(join(root, name), "utf8");

git("init", "--quiet", "--initial-branch=main");
git("config", "user.name", "Somebody");
git("config", "user.email", "somebody@example.invalid");
write("package.json", '{ "name": "small", "version": "0.1.0" }\n');
write(
	"package-lock.json",
	'{ "name": "small", "version": "0.1.0", "lockfileVersion": 3, "packages": { "": { "name": "small", "version": "0.1.0" } } }\n',
);
write(".gitignore", "node_modules/\n");
write("CHANGELOG.md", "# Changelog\n\n## Unreleased\n\n- It does more.\n\n## 0.1.0 (2026-01-01)\n\n- It is there.\n");
mkdirSync(join(root, "node_modules"));
git("add", "--all");
git("commit", "--quiet", "--message=start");

const done: string[] = [];
const work: Work = {
	record: (clone) => writeFileSync(join(clone, "journal.json"), "{}\n"),
	pack: (clone) => {
		done.push(`packed ${JSON.parse(readFileSync(join(clone, "package.json"), "utf8")).version}`);
		return join(clone, "small.tgz");
	},
	smoke: (_, version) => void done.push(`tried ${version}`),
};
const said: string[] = [];
const wanted = { root, version: "0.2.0", date: "2026-02-03", dryRun: false, say: (line: string) => void said.push(line) };
const state = (): string => [git("rev-parse", "HEAD"), git("tag"), git("status", "--porcelain"), read("package.json")].join("\n");

describe("a release", () => {
	it("is refused with what to do: version, tag, branch, changes, nothing to say", () => {
		assert.deepEqual(releaseProblems(wanted), []);
		assert.deepEqual(releaseProblems({ root, version: "0.1.0" }), [], "the version that package.json has, if it was never released");
		assert.match(releaseProblems({ root, version: "next" }).join(), /not a version/);
		assert.match(releaseProblems({ root, version: "0.0.9" }).join(), /older than 0\.1\.0/);
		git("tag", "v0.1.0");
		git("switch", "--quiet", "--create", "other");
		write("new.txt", "");
		const problems = releaseProblems({ root, version: "0.1.0" });
		assert.equal(problems.length, 3);
		assert.match(problems.join("\n"), /tag v0\.1\.0[\s\S]*git switch main[\s\S]*not committed/);
		rmSync(join(root, "new.txt"));
		git("switch", "--quiet", "main");
		assert.equal(releasedChangelog("## Unreleased\n\n## 0.1.0\n", "0.2.0", "2026-02-03"), "## Unreleased\n\n## 0.1.0\n");
	});

	it("changes nothing if it is tried only, or if the tarball is not good", () => {
		const before = state();
		release({ ...wanted, dryRun: true }, work);
		assert.deepEqual(done, ["packed 0.2.0", "tried 0.2.0"]);
		assert.match(said.join("\n"), /release 0\.2\.0[\s\S]*journal\.json[\s\S]*nothing was changed/);
		const bad = () => {
			throw new Error("the tarball is not what people should get");
		};
		assert.throws(() => release(wanted, { ...work, smoke: bad }), /not what people should get/);
		assert.equal(state(), before);
	});

	it("is one commit with version, changelog and journals, and its tag; it pushes and publishes nothing, and says how", () => {
		release(wanted, work);
		assert.equal(git("log", "-1", "--format=%s (%an)"), "release 0.2.0 (Somebody)");
		assert.equal(git("rev-parse", "v0.2.0^{commit}"), git("rev-parse", "HEAD"));
		assert.equal(git("diff", "--name-only", "HEAD~1", "HEAD"), "CHANGELOG.md\njournal.json\npackage-lock.json\npackage.json");
		assert.equal(JSON.parse(read("package-lock.json")).packages[""].version, "0.2.0");
		assert.match(read("CHANGELOG.md"), /^# Changelog\n\n## Unreleased\n\n## 0\.2\.0 \(2026-02-03\)\n\n- It does more\.\n\n## 0\.1\.0 /);
		assert.equal(git("status", "--porcelain"), "");
		assert.ok(existsSync(join(root, "node_modules")));
		assert.match(said.join("\n"), /git push --atomic origin main v0\.2\.0[\s\S]*--provenance[\s\S]*no `repository` yet/);
		assert.match(releaseProblems({ root, version: "0.3.0" }).join(), /nothing under "## Unreleased"/);
	});
});
