// The table is whole: nothing that pawl has is without a row.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { whyNotShared } from "../../src/core/assign/shareable.ts";
import type { Definition, StepKind } from "../../src/core/definition.ts";
import { definitionOf } from "../../src/engine/testing/start.suite.ts";
import { withoutPostgres } from "../support/postgres.ts";
import { scratchFolder } from "../support/scratch.ts";
import { databaseFor } from "./databases.ts";
import { DRIVERS, PATHS, whyNotDriven } from "./paths.ts";
import { REAL_MACHINES } from "./real-machines.ts";
import { REAL_ROWS } from "./real-rows.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const LOOKS_ONLY = ["plan"];
const definitions = (): Promise<readonly Definition[]> =>
	Promise.all(PATHS.map(({ options }) => definitionOf(options.workflow, scratchFolder("definition"))));

const IDS = Array.from({ length: 30 }, (_, n) => `G-${String(n + 1).padStart(2, "0")}`);
const guarantees = (): string[] => readdirSync(import.meta.dirname).filter((name) => /^g-\d\d\.test\.ts$/.test(name));

test("a workflow without a row lets nobody write", async () => {
	for (const name of LOOKS_ONLY) {
		const { types } = await definitionOf(name, scratchFolder("definition"));
		for (const type of Object.values(types)) assert.ok(type.kind === "action" || type.writes === "none", `${name}: ${type.name}`);
	}
});

test("every built-in workflow has a row, and so have two of a user's own", () => {
	const builtIn = new Set(PATHS.flatMap((path) => path.builtIn ?? []));
	// What only looks and delivers nothing has no work that a guarantee could be about.
	const writing = readdirSync(join(ROOT, "workflows")).filter((name) => !LOOKS_ONLY.includes(name));
	assert.deepEqual([...builtIn].sort(), writing.sort());
	assert.ok(PATHS.filter((path) => path.builtIn === null).length >= 2);
});

test("every place where a built-in workflow can work has a row that works there", async () => {
	const all = await definitions();
	for (const [n, definition] of all.entries()) {
		const rows = PATHS.filter((_, other) => all[other]?.name === definition.name);
		const places = new Set(Object.values(definition.inputs).map((input) => input.workspace));
		assert.deepEqual(new Set(rows.map((row) => row.workspace)), places, PATHS[n]?.name);
	}
	assert.deepEqual(new Set(PATHS.map((path) => path.workspace)), new Set(["tree", "branch", "worktree"]));
});

test("every kind of step is on some path", async () => {
	// The type makes a new kind a compile error here.
	const kinds: Readonly<Record<StepKind, true>> = {
		agent: true,
		command: true,
		action: true,
		approval: true,
		gate: true,
		each: true,
		loop: true,
	};
	const found = new Set((await definitions()).flatMap((one) => Object.values(one.types).map((type) => type.kind)));
	assert.deepEqual([...found].sort(), Object.keys(kinds).sort());
});

test("whoever judges a session is a driver of the table", () => {
	const folder = join(ROOT, "src", "engine");
	const judging = readdirSync(folder, { recursive: true, encoding: "utf8" })
		.filter((name) => /\.ts$/.test(name) && !/\.(test|suite|child)\.ts$/.test(name))
		.filter((name) => /import \{[^}]*\bjudge\b[^}]*\} from/.test(readFileSync(join(folder, name), "utf8")));
	assert.deepEqual(judging.sort(), ["attempt/attempt.ts", "pull.ts"], "a new driver needs a row in paths.ts");
	assert.ok(existsSync(join(folder, "shared-engine.ts")));
	assert.deepEqual(DRIVERS, ["run", "resumed", "pulled", "shared"]);
});

test("a path is walked on several machines if pawl lets machines share its run", async () => {
	const all = await definitions();
	for (const [n, path] of PATHS.entries()) {
		const definition = all[n] ?? assert.fail();
		const why = whyNotShared(definition, path.options.mode ?? Object.keys(definition.inputs)[0] ?? "");
		assert.equal(whyNotDriven(path, "shared") === null, why === null, `${path.name}: ${why}`);
	}
	assert.ok(PATHS.filter((path) => whyNotDriven(path, "shared") === null).length >= 2);
});

test("every guarantee is walked over the table, which asks for a row of each driver or for a reason", () => {
	for (const file of guarantees()) {
		const text = readFileSync(join(import.meta.dirname, file), "utf8");
		assert.match(text, /^(walk|rows)\(/m, `${file} has no walk`);
		assert.doesNotMatch(text, /of (PATHS|DRIVERS)\)/, `${file} goes over the table by itself`);
	}
});

test("rows of several machines, of a workflow of a user's own, are walked over PostgreSQL", { skip: withoutPostgres }, async () => {
	for (const path of PATHS.filter(({ builtIn, workspace }) => builtIn === null && workspace === "worktree"))
		assert.ok((await databaseFor(path, "shared")).database !== undefined, path.name);
});

test("every guarantee has a file here that says what it promises", () => {
	const files = guarantees();
	assert.deepEqual(
		files,
		Array.from({ length: 30 }, (_, n) => `g-${String(n + 1).padStart(2, "0")}.test.ts`),
	);
	for (const file of files)
		assert.match(readFileSync(join(import.meta.dirname, file), "utf8"), new RegExp(`^// ${file.slice(0, 4).toUpperCase()}: `));
});

test("every guarantee has a row with real git and real processes for each driver", () => {
	const drivers = DRIVERS.filter((driver) => driver !== "shared");
	const days = drivers.filter((driver) => existsSync(join(import.meta.dirname, `real-${driver}.test.ts`)));
	assert.deepEqual(days, drivers);
	const missing = IDS.filter((id) => {
		if (REAL_ROWS.some((name) => name.includes(id))) return false;
		const own = readFileSync(join(import.meta.dirname, `${id.toLowerCase()}.test.ts`), "utf8");
		return !drivers.every((driver) => own.includes(`(${driver})`) || (driver !== "pulled" && own.includes("(${driver})`")));
	});
	assert.deepEqual(missing, []);
});

test("every guarantee has a test with real machines, or a reason why there is none", () => {
	assert.deepEqual(Object.keys(REAL_MACHINES), IDS);
	for (const [id, { files, reason }] of Object.entries(REAL_MACHINES)) {
		assert.ok(files.length > 0 || reason !== undefined, id);
		for (const file of files)
			assert.match(readFileSync(join(ROOT, file), "utf8"), new RegExp(`\\btest\\(\\s*"[^"\n]*\\b${id}\\b`), `${id} in ${file}`);
	}
});

test("docs/guarantees.md says of each guarantee what holds and how it was seen red, and of none without a file", () => {
	const files = readdirSync(import.meta.dirname).flatMap((name) => /^(g-\d\d)\.test\.ts$/.exec(name)?.[1]?.toUpperCase() ?? []);
	const [what = "", red = ""] = readFileSync(join(ROOT, "docs", "guarantees.md"), "utf8").split("## Seen red");
	for (const part of [what, red])
		assert.deepEqual(
			[...part.matchAll(/^\| (G-\d\d) \|/gm)].map(([, id]) => id),
			files.sort(),
		);
});
