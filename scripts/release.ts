// npm run release -- --version X.Y.Z [--dry-run]: makes a release of the checkout that it runs in, up to its commit and its tag. It pushes and publishes
// nothing: it prints how. All is done in a clone in a temporary folder, and only the finished commit comes back, so that
// whatever fails leaves the checkout as it was.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { smokeTest } from "./smoke-test.ts";

export interface Release {
	/** The checkout. */
	readonly root: string;
	readonly version: string;
	/** YYYY-MM-DD */
	readonly date: string;
	readonly dryRun: boolean;
	readonly say: (line: string) => void;
}

/** What takes minutes; a test brings its own. Each gets the folder of the clone. */
export interface Work {
	/** Records the journals of this release, for the tests of all later ones. */
	record(clone: string): void;
	/** Builds and packs; returns the tarball. */
	pack(clone: string, into: string): string;
	/** Throws if the tarball is not what people should get. */
	smoke(tarball: string, version: string): void;
}

const run = (cwd: string, command: string, ...args: readonly string[]): string =>
	execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"], maxBuffer: 64 * 1024 * 1024 }).trimEnd();

const REAL: Work = {
	record: (clone) => void run(clone, process.execPath, "scripts/record-journals.ts"),
	pack: (clone, into) => {
		run(clone, "npm", "pack", "--silent", "--pack-destination", into);
		return join(into, readdirSync(into).find((name) => name.endsWith(".tgz")) ?? "no tarball");
	},
	smoke: smokeTest,
};

/** Why this cannot be released, each with what to do; empty if it can. */
export function releaseProblems({ root, version }: Pick<Release, "root" | "version">): string[] {
	const problems: string[] = [];
	const now = packageOf(root).version;
	if (!/^\d+\.\d+\.\d+$/.test(version)) return [`${JSON.stringify(version)} is not a version such as 1.2.3`];
	if (isOlder(version, now)) problems.push(`${version} is older than ${now}, which package.json has`);
	if (run(root, "git", "tag", "--list", `v${version}`) !== "") problems.push(`there is a tag v${version} already: take another version`);
	const branch = run(root, "git", "branch", "--show-current");
	if (branch !== "main") problems.push(`releases are made on main, and this is ${branch || "no branch"}: git switch main`);
	if (run(root, "git", "status", "--porcelain") !== "") problems.push("there are changes that are not committed: commit or remove them");
	if (unreleased(textOf(root, "CHANGELOG.md")) === null)
		problems.push('CHANGELOG.md has nothing under "## Unreleased": say what users notice');
	return problems;
}

const textOf = (root: string, name: string): string => readFileSync(join(root, name), "utf8");
const packageOf = (root: string) => JSON.parse(textOf(root, "package.json")) as { readonly version: string; readonly repository?: unknown };

function isOlder(a: string, b: string): boolean {
	const [left, right] = [a, b].map((text) => text.split(".").map(Number));
	for (let i = 0; i < 3; i++) if (left?.[i] !== right?.[i]) return (left?.[i] ?? 0) < (right?.[i] ?? 0);
	return false;
}

/** Where the section begins and what is in it; null: nothing. */
function unreleased(changelog: string): { readonly at: number; readonly text: string } | null {
	const title = /^## Unreleased\n/m.exec(changelog);
	if (title === null) return null;
	const at = title.index + title[0].length;
	const text = changelog.slice(at).split(/^## /m)[0]?.trim() ?? "";
	return text === "" ? null : { at, text };
}

/** The section gets the version as its title, and an empty one takes its place. */
export function releasedChangelog(changelog: string, version: string, date: string): string {
	const found = unreleased(changelog);
	if (found === null) return changelog;
	return `${changelog.slice(0, found.at)}\n## ${version} (${date})\n${changelog.slice(found.at)}`;
}

/** Throws if a step fails; the checkout is then as it was. */
export function release(wanted: Release, work: Work = REAL): void {
	const { root, version, date, dryRun, say } = wanted;
	const scratch = realpathSync(mkdtempSync(join(tmpdir(), "pawl-release-")));
	try {
		const clone = join(scratch, "clone");
		run(scratch, "git", "clone", "--quiet", root, clone);
		symlinkSync(join(root, "node_modules"), join(clone, "node_modules"));
		run(clone, "npm", "version", version, "--no-git-tag-version", "--allow-same-version", "--ignore-scripts", "--silent");
		writeFileSync(join(clone, "CHANGELOG.md"), releasedChangelog(textOf(clone, "CHANGELOG.md"), version, date));
		say("recording the journals of this release");
		work.record(clone);
		say("building and packing");
		const tarball = work.pack(clone, scratch);
		say("trying the tarball");
		work.smoke(tarball, version);
		// The link is not of the release, and neither is what the build made: git ignores both in a checkout, a link only as a file.
		rmSync(join(clone, "node_modules"));
		run(clone, "git", "add", "--all");
		const who = ["user.name", "user.email"].map((key) => `${key}=${run(root, "git", "config", key)}`);
		run(clone, "git", ...who.flatMap((one) => ["-c", one]), "commit", "--quiet", `--message=release ${version}`);
		say(run(clone, "git", "show", "--stat", "--format=%s", "HEAD"));
		if (dryRun) return say("all is well; nothing was changed (--dry-run)");
		run(root, "git", "fetch", "--quiet", clone, "HEAD");
		run(root, "git", "merge", "--quiet", "--ff-only", "FETCH_HEAD");
		run(root, "git", "tag", "--annotate", `v${version}`, `--message=pawl ${version}`);
		say(`${version} is committed and tagged here. To publish it:\n  git push --atomic origin main v${version}`);
		say("CI then publishes it with provenance (.github/workflows/release.yml): npm publish --provenance --access public");
	} finally {
		rmSync(scratch, { recursive: true, force: true });
	}
	if (packageOf(root).repository === undefined)
		say("package.json has no `repository` yet, and npm refuses provenance without it: add it first");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
	const { values } = parseArgs({ options: { version: { type: "string" }, "dry-run": { type: "boolean" } } });
	const root = join(import.meta.dirname, "..");
	const wanted = { root, version: values.version ?? "" };
	const problems =
		values.version === undefined ? ["say which version: npm run release -- --version 1.2.3 [--dry-run]"] : releaseProblems(wanted);
	for (const problem of problems) console.error(`release: ${problem}`);
	if (problems.length > 0) process.exit(2);
	release({ ...wanted, date: new Date().toISOString().slice(0, 10), dryRun: values["dry-run"] === true, say: (line) => console.log(line) });
}
