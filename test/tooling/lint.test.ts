// The lint itself: the map of ARCHITECTURE.md holds only as long as a planted violation of each row fails and what a row allows passes.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { after, describe, it } from "node:test";

const root = join(import.meta.dirname, "..", "..");
const made: string[] = [];
after(() => {
	for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

/** Lints a project with these files and pawl's own configuration: the findings, as `path rule`. */
const lint = (files: Readonly<Record<string, string>>): { readonly status: number | null; readonly found: readonly string[] } => {
	const folder = mkdtempSync(join(tmpdir(), "pawl-lint-"));
	made.push(folder);
	for (const name of ["biome.json", "package.json", ".gitignore"]) cpSync(join(root, name), join(folder, name));
	for (const [path, text] of Object.entries(files)) {
		mkdirSync(dirname(join(folder, path)), { recursive: true });
		writeFileSync(join(folder, path), `${text}\n`);
	}
	const biome = join(root, "node_modules", "@biomejs", "biome", "bin", "biome");
	const run = spawnSync(process.execPath, [biome, "lint", "--error-on-warnings", "--max-diagnostics=none", "--reporter=github", "."], {
		cwd: folder,
		encoding: "utf8",
		timeout: 60_000,
	});
	const found = [...run.stdout.matchAll(/^::\w+ title=lint\/(\S+?),file=(.+?),line=/gm)].map(
		([, rule = "", file = ""]) => `${file.startsWith("/") ? relative(folder, file) : file} ${rule}`,
	);
	return { status: run.status, found };
};

const uses = (...paths: readonly string[]): string => paths.map((path) => `import "${path}";`).join("\n");

// One file a row, which imports all that its row allows.
const clean: Readonly<Record<string, string>> = {
	"src/core/model.ts": "export const most = (a: number, b: number): number => Math.max(a, b);",
	"src/core/plan.ts": uses("./model.ts", "./edit/list.ts"),
	"src/core/edit/list.ts": uses("../model.ts", "../report/keys.ts", "./words.ts"),
	"src/core/edit/words.ts": "export const words = 1;",
	"src/core/report/keys.ts": "export const keys = 1;",
	"src/core/plan.test.ts": `${uses("node:fs", "../store/sqlite.ts", "fast-check")}\nexport const now = Date.now() + Math.random();`,
	"src/yaml.ts": uses("yaml"),
	"src/definition/read.ts": uses("node:fs", "zod", "../core/model.ts", "../yaml.ts"),
	"src/definition/check/caps.ts": uses("../read.ts", "../../core/model.ts"),
	"src/prompt/render.ts": uses("../core/model.ts"),
	"src/files/read.ts": uses("node:fs"),
	"src/text/json.ts": uses("../core/model.ts"),
	"src/process.ts": uses("node:child_process", "./core/model.ts", "./process/sweep.ts"),
	"src/process/sweep.ts": uses("node:fs", "../core/model.ts"),
	"src/store.ts": 'import type { most } from "./core/model.ts";\nexport type Store = typeof most;',
	"src/agent.ts": uses("./core/model.ts"),
	"src/workspace.ts": uses("./core/model.ts"),
	"src/remote.ts": uses("./core/model.ts"),
	"src/store/sqlite.child.ts": uses("./sqlite.ts", "./store.suite.ts", "../engine/loop.ts"),
	"src/store/store.suite.ts": uses("node:test", "../store.ts"),
	"src/store/sqlite.ts": uses("node:sqlite", "../core/model.ts", "../process.ts", "../store.ts"),
	"src/store/postgres/store.ts": uses("pg", "./journal.ts", "../../core/model.ts", "../../process.ts", "../../store.ts"),
	"src/store/postgres/journal.ts": "export const commits = 1;",
	"src/dispatch/pgboss.ts": uses("pg-boss", "../dispatch.ts"),
	"src/telemetry.ts": uses("./core/model.ts"),
	"src/telemetry/otlp.ts": uses("@opentelemetry/api", "./metrics.ts", "../telemetry.ts"),
	"src/telemetry/metrics.ts": "export const units = 1;",
	"src/agent/cli/claude.ts": uses("../program/run.ts", "../stream/reader.ts", "../../agent.ts"),
	"src/agent/program/run.ts": uses("./log.ts", "../../core/model.ts", "../../process.ts", "../../yaml.ts"),
	"src/agent/program/log.ts": "export const lines = 1;",
	"src/agent/stream/reader.ts": "export const events = 1;",
	"src/workspace/repository.ts": uses("./git/git.ts", "../core/model.ts", "../files/read.ts", "../process.ts", "../workspace.ts"),
	"src/workspace/git/git.ts": uses("../../core/model.ts", "../../files/read.ts", "../../process.ts", "../../workspace.ts"),
	"src/workspace/tree/tree.ts": uses("../git/git.ts"),
	"src/workspace/remote/clone.ts": uses("../git/git.ts", "../../core/model.ts", "../../remote.ts", "../../workspace.ts"),
	"src/reader.ts": uses("./core/model.ts"),
	"src/format.ts": uses("./command.ts", "./reader.ts", "./core/model.ts", "./workspace.ts"),
	"src/command.ts": uses("commander", "./core/model.ts", "./store.ts"),
	"src/toolchain/detect.ts": uses("../core/model.ts", "../process.ts", "../text/json.ts"),
	"src/toolchain/rust/stubs.ts": uses("../detect.ts", "../../core/model.ts", "../../format.ts"),
	"src/format/notes/reader.ts": uses(
		"yaml",
		"../../core/model.ts",
		"../../definition/read.ts",
		"../../files/read.ts",
		"../../format.ts",
		"../../process.ts",
		"../../text/json.ts",
		"../../workspace.ts",
		"./pages/page.ts",
	),
	"src/format/notes/pages/page.ts": uses("../words.ts", "../../../core/model.ts", "../../../toolchain/detect.ts"),
	"src/format/notes/words.ts": "export const words = 1;",
	"src/format/all.ts": uses("./notes/reader.ts"),
	"src/engine/loop.ts": uses(
		"../agent.ts",
		"../core/model.ts",
		"../files/read.ts",
		"../format.ts",
		"../process.ts",
		"../prompt/render.ts",
		"../store.ts",
		"../workspace.ts",
	),
	"src/config.ts": uses("node:fs", "./agent.ts", "./config/schema.ts", "./core/model.ts", "./yaml.ts"),
	"src/config/schema.ts": uses("zod", "../core/model.ts"),
	"src/runs/start.ts": uses(
		"node:fs",
		"../config.ts",
		"../core/model.ts",
		"../definition/read.ts",
		"../engine/loop.ts",
		"../prompt/render.ts",
		"../store.ts",
		"./look/list.ts",
	),
	"src/runs/look/list.ts": uses("../../core/model.ts", "../../store.ts"),
	"src/mcp/server.ts": uses("zod", "../core/model.ts", "../runs/start.ts"),
	"src/library/runs.ts": uses("../core/model.ts", "../runs/start.ts", "./said.ts"),
	"src/library/said.ts": "export const said = 1;",
	"src/library.ts": uses("./library/runs.ts", "./wiring.ts"),
	"src/cli/run.ts": uses("commander", "../command.ts", "../core/model.ts", "../runs/start.ts"),
	"src/cli/text/fit.ts": "export const width = 80;",
	"src/cli/demo/story.ts": uses("../run.ts", "../text/fit.ts", "../../core/model.ts", "../../mcp/server.ts", "../../runs/look/list.ts"),
	"src/wiring.ts": uses("./agent/cli/claude.ts", "./engine/loop.ts", "./store/sqlite.ts", "./workspace/repository.ts"),
	"src/main.ts": uses("./cli/run.ts", "./wiring.ts"),
	"test/scenario/one.test.ts": uses("../../src/agent/cli/claude.ts", "../../src/wiring.ts"),
};

const imports = "style/noRestrictedImports";
const globals = "style/noRestrictedGlobals";
const tooLong = "style/noExcessiveLinesPerFile";
const violations: readonly (readonly [path: string, text: string, rule: string])[] = [
	["src/core/a.ts", uses("node:fs"), imports],
	["src/core/b.ts", uses("zod"), imports],
	["src/core/c.ts", 'import type { Agent } from "../agent.ts";\nexport type A = Agent;', imports],
	["src/core/d.ts", 'export const later = async (): Promise<unknown> => await import("node:os");', imports],
	["src/core/e.ts", uses("./../store/sqlite.ts"), imports],
	["src/core/edit/a.ts", uses("node:fs"), imports],
	["src/core/edit/b.ts", uses("../../agent.ts"), imports],
	["src/core/edit/c.ts", "export const now = (): number => Date.now();", globals],
	["src/core/f.ts", "export const now = (): number => Date.now();", globals],
	["src/core/g.ts", "export const now = (): number => new Date().getTime();", globals],
	["src/core/h.ts", "export const home = (): string | undefined => process.env.HOME;", globals],
	["src/core/i.ts", "setTimeout(() => {}, 1);", globals],
	["src/core/j.ts", 'console.log("x");', globals],
	["src/core/k.ts", "export const chance = (): number => Math.random();", "nursery/noJsRestrictedProperties"],
	["src/core/l.ts", "export const id = (): string => crypto.randomUUID();", globals],
	["src/definition/a.ts", uses("../prompt/render.ts"), imports],
	["src/definition/check/a.ts", uses("../../prompt/render.ts"), imports],
	["src/prompt/a.ts", uses("../store.ts"), imports],
	["src/files/a.ts", uses("../core/model.ts"), imports],
	["src/text/a.ts", uses("../engine/loop.ts"), imports],
	["src/yaml.ts", uses("./config.ts"), imports],
	["src/prompt/c.ts", uses("../agent.ts"), imports],
	["src/store.ts", uses("node:fs"), imports],
	["src/workspace.ts", uses("./agent.ts"), imports],
	["src/remote.ts", uses("./workspace/git/git.ts"), imports],
	["src/process.ts", uses("./agent.ts"), imports],
	["src/process/a.ts", uses("../agent.ts"), imports],
	["src/agent/cli/c.ts", uses("../../process/sweep.ts"), imports],
	["src/agent/acp/a.ts", uses("../cli/claude.ts"), imports],
	["src/engine/f.ts", uses("../process/sweep.ts"), imports],
	["src/format.ts", uses("./format/notes/reader.ts"), imports],
	["src/prompt/b.ts", uses("../format.ts"), imports],
	["src/store/a.ts", uses("../agent.ts"), imports],
	["src/dispatch/a.ts", uses("../store.ts"), imports],
	["src/telemetry/a.ts", uses("../core/model.ts"), imports],
	["src/store/postgres/a.ts", uses("../sqlite.ts"), imports],
	["src/store/postgres/b.ts", uses("../../agent.ts"), imports],
	["src/agent/cli/a.ts", uses("../../workspace/repository.ts"), imports],
	["src/agent/cli/b.ts", 'import type { Workspace } from "../../workspace.ts";\nexport type W = Workspace;', imports],
	["src/workspace/a.ts", uses("../store/sqlite.ts"), imports],
	["src/workspace/git/a.ts", uses("../../store/sqlite.ts"), imports],
	["src/workspace/git/b.ts", uses("../../store.ts"), imports],
	["src/engine/a.ts", uses("../store/sqlite.ts"), imports],
	["src/engine/b.ts", uses("../definition/read.ts"), imports],
	["src/engine/c.ts", uses("../text/json.ts"), imports],
	["src/engine/d.ts", uses("../cli/run.ts"), imports],
	["src/engine/g.ts", uses("../format/notes/reader.ts"), imports],
	["src/format/notes/a.ts", uses("../../engine/loop.ts"), imports],
	["src/format/notes/b.ts", uses("../../workspace/repository.ts"), imports],
	["src/format/notes/c.ts", uses("../../cli/run.ts"), imports],
	["src/format/notes/d.ts", uses("../other/tool.ts"), imports],
	["src/format/notes/pages/a.ts", uses("../../other/tool.ts"), imports],
	["src/format/notes/pages/b.ts", uses("../../../engine/loop.ts"), imports],
	["src/toolchain/a.ts", uses("../engine/loop.ts"), imports],
	["src/toolchain/rust/a.ts", uses("../../engine/loop.ts"), imports],
	["src/engine/deeper/e.ts", uses("../../store/sqlite.ts"), imports],
	["src/config/a.ts", uses("../engine/loop.ts"), imports],
	["src/config.ts", uses("./engine/loop.ts"), imports],
	["src/runs/a.ts", uses("../cli/run.ts"), imports],
	["src/runs/b.ts", uses("../store/sqlite.ts"), imports],
	["src/runs/c.ts", uses("commander"), imports],
	["src/runs/d.ts", uses("../format/notes/format.ts"), imports],
	["src/runs/look/c.ts", uses("../../telemetry/otlp.ts"), imports],
	["src/runs/look/a.ts", uses("../../cli/run.ts"), imports],
	["src/runs/look/b.ts", uses("../../wiring.ts"), imports],
	["src/mcp/a.ts", uses("../cli/run.ts"), imports],
	["src/mcp/b.ts", uses("../engine/loop.ts"), imports],
	["src/library/a.ts", uses("../engine/loop.ts"), imports],
	["src/library/b.ts", uses("../wiring.ts"), imports],
	["src/cli/a.ts", uses("../agent/cli/claude.ts"), imports],
	["src/cli/b.ts", uses("../wiring.ts"), imports],
	["src/cli/j.ts", uses("../engine/loop.ts"), imports],
	["src/cli/k.ts", uses("../store.ts"), imports],
	["src/cli/l.ts", uses("../definition/read.ts"), imports],
	["src/cli/m.ts", uses("../format/notes/reader.ts"), imports],
	["src/cli/demo/c.ts", uses("../../engine/loop.ts"), imports],
	["src/cli/demo/d.ts", uses("../../format/notes/format.ts"), imports],
	["src/cli/demo/a.ts", uses("../../wiring.ts"), imports],
	["src/cli/demo/b.ts", uses("../../store/sqlite.ts"), imports],
	["src/other.ts", uses("./store/sqlite.ts"), imports],
	["src/other/a.ts", uses("../store/sqlite.ts"), imports],
	["src/cli/c.ts", uses("left-pad"), "correctness/noUndeclaredDependencies"],
	["src/cli/d.ts", "export default 1;", "style/noDefaultExport"],
	["src/cli/e.ts", "export const first = (list: readonly string[]): string => list[0]!;", "style/noNonNullAssertion"],
	["src/cli/f.ts", "export const read = (value: any): string => value.name;", "suspicious/noExplicitAny"],
	[
		"src/cli/i.ts",
		"const later = async (): Promise<void> => {};\nexport const a = (): void => {\n\tlater();\n};",
		"nursery/noFloatingPromises",
	],
	["src/cli/g.ts", 'export * from "./run.ts";', "performance/noReExportAll"],
	["src/cli/camelCase.ts", "export const a = 1;", "style/useFilenamingConvention"],
	["src/cli/h.ts", Array.from({ length: 401 }, (_, line) => `export const a${line} = ${line};`).join("\n"), tooLong],
];

describe("lint", () => {
	it("passes what the map allows", () => {
		assert.deepEqual(lint(clean), { status: 0, found: [] });
	});

	// All in one project, because starting the linter forty times takes longer than linting; every file breaks its own rule only.
	const planted = lint({ ...clean, ...Object.fromEntries(violations.map(([path, text]) => [path, text])) });
	for (const [path, text, rule] of violations) {
		it(`refuses in ${path}: ${rule === tooLong ? "more than 400 lines" : text.split("\n")[0]}`, () => {
			assert.ok(planted.found.includes(`${path} ${rule}`), `found there: ${planted.found.filter((one) => one.startsWith(`${path} `))}`);
		});
	}

	it("fails as a command when there is one violation", () => {
		assert.deepEqual(lint({ ...clean, "src/engine/a.ts": uses("../store/sqlite.ts") }), {
			status: 1,
			found: [`src/engine/a.ts ${imports}`],
		});
	});

	it("refuses a cycle of imports", () => {
		const { status, found } = lint({
			"src/engine/a.ts": 'import { b } from "./b.ts";\nexport const a = (): unknown => b;',
			"src/engine/b.ts": 'import { a } from "./a.ts";\nexport const b = (): unknown => a;',
		});
		assert.equal(status, 1);
		assert.deepEqual([...found].sort(), ["src/engine/a.ts suspicious/noImportCycles", "src/engine/b.ts suspicious/noImportCycles"]);
	});
});
