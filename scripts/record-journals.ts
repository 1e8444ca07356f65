// node scripts/record-journals.ts [NAME…]: records the runs of test/journals/recordings.ts with this pawl, so that every later version is tested
// to read and resume them. Done once for each release that changes what a journal can hold, into test/journals/MAJOR.MINOR/; what is there
// already is never recorded again (remove a file to record it again), because old journals are forever.
//
// Relocation: a recording is made in a scratch folder and packed with /pawl-recorded-here in place of that folder; a test unpacks it
// anywhere and puts the real folder back (test/journals/fixture.ts has both). The database is vacuumed and has no log beside it, so no
// byte of the old path is left. Nothing is packed that names this machine or a person: the recorder looks for that and refuses.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { commitsOf, type Expected, filesOf, INSTALLED, move, outlineOf, PERSON, ROOT, stateOf, unpack } from "../test/journals/fixture.ts";
import { makeRecordingSite, pawlIn } from "../test/journals/recording-site.ts";
import { RECORDINGS, type Recording } from "../test/journals/recordings.ts";

const installed = join(import.meta.dirname, "..");
const { version } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8")) as { version: string };
const folder = join(installed, "test", "journals", version.split(".").slice(0, 2).join("."));
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !RECORDINGS.some((r) => r.name === name));
if (unknown.length > 0) {
	console.error(`there is no recording ${unknown.join(", ")}; there are ${RECORDINGS.map((r) => r.name).join(", ")}`);
	process.exit(2);
}
mkdirSync(folder, { recursive: true });
for (const recording of RECORDINGS) {
	if (wanted.length > 0 && !wanted.includes(recording.name)) continue;
	if (existsSync(join(folder, `${recording.name}.json`))) console.log(`${recording.name}: is there already`);
	else record(recording);
}

function record(recording: Recording): void {
	const archive = join(folder, `${recording.name}.tar.gz`);
	const [made, again] = [scratch(), scratch()];
	try {
		const site = makeRecordingSite(recording, made, installed);
		const claim = recording.record(site);
		const state = stateOf(made);
		const commits = commitsOf(made);
		pack(made, archive);
		unpack(archive, again, installed);
		const after = recording.cutAt === undefined ? null : resumed(again, site.cwd);
		// Relocation must change nothing: resumed where it was recorded, the run ends the same way.
		if (after !== null) assert.deepEqual(orderless(resumed(made, site.cwd)), orderless(after));
		const expected: Expected = {
			pawl: version,
			workflow: state.definition.name,
			run: state.id,
			cwd: site.cwd,
			cut_at: recording.cutAt ?? null,
			claim,
			state: outlineOf(state),
			commits,
			resumed: after,
		};
		writeFileSync(join(folder, `${recording.name}.json`), `${JSON.stringify(expected, null, "\t")}\n`);
		console.log(`${recording.name}: ${state.status}, ${state.version} events, ${Math.ceil(readFileSync(archive).length / 1024)} kB`);
	} catch (error) {
		rmSync(archive, { force: true });
		throw error;
	} finally {
		for (const root of [made, again]) rmSync(root, { recursive: true, force: true, maxRetries: 3 });
	}
}

function resumed(root: string, cwd: string): NonNullable<Expected["resumed"]> {
	const { exit, signal, stdout, stderr } = pawlIn(installed, root, cwd, ["resume"]);
	if (exit === null) throw new Error(`the resume ended by ${signal}\n${stdout}\n${stderr}`);
	const says = exit === 0 ? "" : stderr.replaceAll(root, ROOT);
	return { exit, says, state: outlineOf(stateOf(root)), commits: commitsOf(root) };
}

/** Stories that run side by side may be merged in any order. */
function orderless({ commits, ...rest }: NonNullable<Expected["resumed"]>) {
	return { ...rest, commits: Object.fromEntries(Object.entries(commits).map(([branch, subjects]) => [branch, subjects.toSorted()])) };
}

function pack(from: string, archive: string): void {
	const copy = scratch();
	try {
		cpSync(from, copy, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
		rmSync(join(copy, "home"), { recursive: true, force: true });
		move(copy, [
			[from, ROOT],
			[installed, INSTALLED],
		]);
		refuseTraces(copy, from);
		const names = ["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--format=gnu"];
		const tar = execFileSync("tar", [...names, "-c", "-C", copy, "."], { maxBuffer: 64 * 1024 * 1024 });
		writeFileSync(archive, execFileSync("gzip", ["-9n"], { input: tar, maxBuffer: 64 * 1024 * 1024 }));
	} finally {
		rmSync(copy, { recursive: true, force: true });
	}
}

/** Throws when anything that is packed names this machine, its folders or somebody. */
function refuseTraces(copy: string, from: string): void {
	const traces = [from, installed, hostname(), tmpdir(), process.env["HOME"] ?? ""].filter((text) => text.length > 3);
	const objects = execFileSync("git", ["cat-file", "--batch-all-objects", "--batch"], { cwd: join(copy, "project") }).toString("latin1");
	const texts: (readonly [string, string])[] = filesOf(copy).map((file) => [file, readFileSync(file, "latin1")]);
	for (const [file, text] of [...texts, ["git's objects", objects] as const]) {
		for (const trace of traces) if (text.includes(trace)) throw new Error(`${file} holds ${trace}`);
		for (const [mail] of text.matchAll(/[\w.+-]+@[\w-]+(\.[\w-]+)+/g)) if (mail !== PERSON.email) throw new Error(`${file} holds ${mail}`);
	}
}

function scratch(): string {
	return realpathSync(mkdtempSync(join(tmpdir(), "pawl-record-")));
}
