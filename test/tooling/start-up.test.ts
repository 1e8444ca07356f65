// Commands that only look start about as fast as Node does, because they load only what they need: a folder that carries work out, or
// speaks to agents or browsers, is none of it. One import in the wrong place would cost every `pawl status` as much as all the rest.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { definition } from "../../bench/steps.ts";

const root = join(import.meta.dirname, "..", "..");
const scratch = realpathSync(mkdtempSync(join(tmpdir(), "pawl-start-up-")));
after(() => rmSync(scratch, { recursive: true, force: true }));

const repository = join(scratch, "repository");
mkdirSync(repository);
const commit = ["-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-q", "--allow-empty", "-m", "first"];
for (const args of [["init", "-q"], commit]) execFileSync("git", args, { cwd: repository });

const listed = join(scratch, "loaded.txt");
const noting = join(scratch, "noting.mjs");
writeFileSync(
	noting,
	`import { appendFileSync } from "node:fs";
import { registerHooks } from "node:module";
registerHooks({ load(url, context, next) { appendFileSync(${JSON.stringify(listed)}, url + "\\n"); return next(url, context); } });
`,
);

/** The product's files that the command loads, as paths from the root. */
function loaded(args: readonly string[], more: NodeJS.ProcessEnv = {}): string[] {
	rmSync(listed, { force: true });
	const env = { ...process.env, ...more, NODE_OPTIONS: `--import ${pathToFileURL(noting)}`, XDG_CACHE_HOME: join(scratch, "cache") };
	spawnSync(join(root, "bin", "pawl"), args, { cwd: repository, env, timeout: 60_000 });
	const own = `${pathToFileURL(root)}/`;
	return readFileSync(listed, "utf8")
		.split("\n")
		.filter((url) => url.startsWith(own))
		.map((url) => url.slice(own.length));
}

const HEAVY =
	/^src\/(engine\/(engine|pull|run)\.ts|prompt\/|definition\/|server\/|agent\/(acp|cli)\/|cli\/screen\/|mcp\/|store\/postgres\/|workspace\/(repository\.ts|tree\/|slot\/|merge\/))|^node_modules\/(zod|yaml|pg|@)/;

describe("what a command that only looks loads", () => {
	for (const command of ["status", "runs", "stories", "logs", "history", "cost", "diff"]) {
		it(`pawl ${command}: nothing that drives a run`, () => {
			const files = loaded([command]);
			assert.ok(files.includes("src/main.ts"), "the hook saw the program start");
			assert.deepEqual(
				files.filter((file) => HEAVY.test(file)),
				[],
			);
		});
	}
});

describe("what needs a database that machines share", () => {
	const DATABASE =
		/^(node_modules\/(pg|pg-[^/]*|pgpass|postgres-[^/]*)|src\/(store\/postgres|dispatch\/pgboss\.ts|runs\/shared\/worker))(\/|\.|$)/;
	const workflow = join(scratch, "one-step");
	before(() => {
		mkdirSync(join(workflow, "prompts"), { recursive: true });
		writeFileSync(join(workflow, "prompts", "noop.md"), "{{step_description}}\n");
		writeFileSync(join(workflow, "workflow.yml"), definition(1));
	});

	for (const args of [
		["run", workflow, "nothing", "--agent-command", "/bin/true"],
		["resume"],
		["retry"],
		["approve"],
		["doctor"],
		["prune"],
	])
		it(`pawl ${args[0]} without --db loads nothing for it`, () => {
			const files = loaded(args, { PAWL_DB: undefined });
			assert.ok(files.includes("src/main.ts"), "the hook saw the program start");
			if (args[0] === "run")
				assert.ok(
					["src/store/sqlite.ts", "src/engine/engine.ts"].every((file) => files.includes(file)),
					"the run has begun",
				);
			assert.deepEqual(
				files.filter((file) => DATABASE.test(file)),
				[],
			);
		});

	it("pawl runs with --db loads it: the hook would see it", () => {
		const files = loaded(["runs", "--db", "postgres://u:p@127.0.0.1:1/x?sslmode=maybe"], {});
		assert.ok(files.some((file) => DATABASE.test(file)));
	});
});

describe("the package", () => {
	const pack = process.env["PAWL_TESTED"] ?? "";
	const reports = join(scratch, "report.json");
	const reporting = join(scratch, "reporting.cjs");
	writeFileSync(
		reporting,
		`process.on("exit", () => require("node:fs").writeFileSync(${JSON.stringify(reports)}, JSON.stringify({
	files: Object.keys(require.cache).filter((file) => file.includes("/dist/")).length,
	node: process.moduleLoadList.filter((name) => /^NativeModule (crypto|child_process|net|http|zlib)$/.test(name)),
})));
`,
	);
	const started = (args: readonly string[]): { readonly files: number; readonly node: readonly string[] } => {
		const env = { ...process.env, NODE_OPTIONS: `--require ${reporting}`, XDG_CACHE_HOME: join(scratch, "cache"), PATH: pathWithoutGit() };
		const { status } = spawnSync(process.execPath, [join(pack, "bin", "start.cjs"), ...args], { cwd: repository, env, stdio: "ignore" });
		assert.equal(status, 0);
		return JSON.parse(readFileSync(reports, "utf8"));
	};
	/** Whoever starts git here fails. */
	const pathWithoutGit = (): string => scratch;
	before(() => {
		const workflow = join(scratch, "workflow");
		mkdirSync(join(workflow, "prompts"), { recursive: true });
		writeFileSync(join(workflow, "prompts", "noop.md"), "{{step_description}}\n");
		writeFileSync(join(workflow, "workflow.yml"), definition(1));
		const args = [join(pack, "bin", "start.cjs"), "run", workflow, "nothing", "--agent-command", "/bin/true"];
		execFileSync(process.execPath, args, { cwd: repository, stdio: "ignore" });
	});

	it("prints its version without loading the program", () => {
		assert.deepEqual(started(["--version"]), { files: 0, node: [] });
	});

	for (const command of ["status", "runs"])
		it(`pawl ${command}: a few files, no process, and of Node only what it needs`, () => {
			const { files, node } = started([command]);
			assert.ok(files > 0 && files <= 6, `${files} files`);
			assert.deepEqual(node, []);
		});
});
