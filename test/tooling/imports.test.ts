// The picture of imports in ARCHITECTURE.md is what the sources say, and no folders import each other in a ring.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { withPicture } from "../../scripts/import-picture.ts";
import { type Import, importsOf, packagesOf, pictureOf, ringsOf } from "../../scripts/imports.ts";

const root = join(import.meta.dirname, "..", "..");
const imports = importsOf(join(root, "src"));

/** Rings that are still there. This list only ever gets shorter. */
const RINGS: readonly string[] = [];

test("no folders import each other in a ring", () => {
	assert.ok(imports.length > 500);
	const rings = ringsOf(imports);
	assert.deepEqual(
		rings.filter((ring) => !RINGS.includes(ring)),
		[],
	);
	assert.deepEqual(
		RINGS.filter((ring) => !rings.includes(ring)),
		[],
		"these are gone: take them off the list",
	);
});

test("the picture in ARCHITECTURE.md is up to date: node scripts/import-picture.ts --write", () => {
	const page = readFileSync(join(root, "ARCHITECTURE.md"), "utf8");
	assert.equal(page, withPicture(page, pictureOf(imports)));
});

/** What the built program and the page carry inside. A package more is a decision: its size, its license and who keeps it. */
const PACKAGES: Readonly<Record<"program" | "page", readonly string[]>> = {
	program: [
		"@agentclientprotocol/sdk",
		"@modelcontextprotocol/server",
		"@opentelemetry/api",
		"@opentelemetry/core",
		"@opentelemetry/exporter-metrics-otlp-http",
		"@opentelemetry/exporter-metrics-otlp-proto",
		"@opentelemetry/exporter-trace-otlp-http",
		"@opentelemetry/exporter-trace-otlp-proto",
		"@opentelemetry/resources",
		"@opentelemetry/sdk-metrics",
		"@opentelemetry/sdk-trace",
		"commander",
		"pg",
		"pg-boss",
		"yaml",
		"zod",
	],
	page: ["@dagrejs/dagre", "@preact/signals", "@tanstack/virtual-core", "anser", "highlight.js", "preact"],
};

test("the product imports only the packages that were chosen for it", () => {
	const used = packagesOf(join(root, "src"));
	for (const [part, packages] of Object.entries(PACKAGES)) {
		const names = used.filter(({ from }) => from.startsWith("web/") === (part === "page")).map(({ name }) => name);
		assert.deepEqual([...new Set(names)].sort(), packages, part);
	}
});

const read = (...lines: string[]): Import[] =>
	lines.map((line) => {
		const [from = "", to = ""] = line.split(" ");
		return { from, to };
	});

test("a ring is found at the top and between folders side by side; a folder and its subfolder are one unit", () => {
	const straight = ["cli/a.ts runs/b.ts", "runs/b.ts runs/look/c.ts", "runs/look/c.ts runs/d.ts", "runs/d.ts core/e.ts"];
	assert.deepEqual(ringsOf(read(...straight)), []);
	assert.deepEqual(ringsOf(read(...straight, "core/e.ts wiring.ts", "wiring.ts cli/a.ts")), ["cli → runs → core → wiring.ts → cli"]);
	assert.deepEqual(ringsOf(read(...straight, "runs/look/c.ts runs/start/f.ts", "runs/start/g.ts runs/look/h.ts")), [
		"runs/look → runs/start → runs/look",
	]);
});

test("the picture leaves out what follows from other arrows, and puts contracts together", () => {
	const drawn = pictureOf(
		read("cli/a.ts engine/b.ts", "engine/b.ts store.ts", "store.ts core/c.ts", "engine/b.ts core/c.ts", "store/d.ts store.ts"),
	);
	assert.deepEqual(drawn.split("\n").slice(-4), [
		"  cli_ --> engine_",
		"  contracts --> core_",
		"  engine_ --> contracts",
		"  store_ --> contracts",
	]);
	assert.match(drawn, /contracts\["contracts: store\.ts"\]/);
});
