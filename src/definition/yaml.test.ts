import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import fc from "fast-check";
import { parse, problemsAt, workflow } from "./marked.suite.ts";

test("keys that are there twice are reported, each at its second place, with all other problems", () => {
	problemsAt(workflow("  a: {role: dev, §role: dev, timeout: §soon}", "[a]", "§title: U"), /twice/, /twice/, /not a duration/);
});

test("text that is not YAML says where", () => {
	problemsAt("name: [§", /not readable as YAML/);
	problemsAt("name: t\n§---\nname: u\n", /one YAML document/);
	problemsAt("name: §*x\n", /no anchor &x/);
	problemsAt("name: §!mine x\n", /not readable as YAML: Unresolved tag/);
	problemsAt("§%YAML 1.1\n---\nname: t\n", /YAML 1.2/);
	problemsAt("? §[a]\n: 1\n", /a key is a word/);
});

test("anchors are fine, aliases that point at themselves or grow out of proportion are not", () => {
	problemsAt(workflow("  a: &a {role: dev}\n  b: *a", "[a, b]"));
	problemsAt("name: &n {x: §*n}\n", /refers to itself/);
	const bomb = [
		"a: &a [1,1,1,1,1,1,1,1,1]",
		..."bcdefg".split("").map((c, i) => `${c}: &${c} [${Array(9).fill(`*${"abcdef"[i]}`).join(",")}]`),
	].join("\n");
	problemsAt(`§${bomb}`, /too many aliases/);
});

test("a text that is too large or too deep is refused, not parsed forever", () => {
	problemsAt(`§# ${"x".repeat(1024 * 1024)}`, /larger than 128 KiB/);
	const deep = parse("[".repeat(100_000));
	assert.ok(!deep.ok && deep.problems.length === 1);
	assert.match(deep.problems[0]?.message ?? "", /nested too deeply/);
});

test("CRLF and a byte order mark do not move positions", () => {
	problemsAt(`\uFEFF${workflow("  a: {role: §devv}", "[a]").replaceAll("\n", "\r\n")}`, /no role `devv`/);
});

test("names that JavaScript objects have of their own are names like others", () => {
	problemsAt(workflow("  constructor: {role: dev, on: {done: next}}", "[constructor]"));
	problemsAt(
		workflow("  a: {role: §constructor}\n  b: {role: dev, on: {lost: §goto constructor}}", "[a, b]"),
		/no role `constructor`/,
		/no step type `constructor`/,
	);
});

test("whatever is cut out of a workflow, or put into it, the answer is a value with places inside the text", () => {
	const lines = readFileSync(new URL("../../workflows/gated/workflow.yml", import.meta.url), "utf8").split("\n");
	const noise = fc.constantFrom(
		"",
		"- x",
		"  ? y",
		"{",
		"name: 1",
		"types:",
		"  a: null",
		"on: []",
		"steps: [[a]]",
		"      - {b: c, d: e}",
		"roles: {dev: null}",
	);
	fc.assert(
		fc.property(fc.nat(lines.length), fc.nat(6), noise, (at, gone, put) => {
			const text = lines.toSpliced(at, gone, put).join("\n");
			const loaded = parse(text);
			const height = text.split("\n").length;
			for (const p of loaded.ok ? loaded.warnings : loaded.problems)
				assert.ok(p.line >= 1 && p.line <= height && p.column >= 1 && p.message !== "");
			assert.ok(loaded.ok || loaded.problems.length > 0);
		}),
		{ numRuns: 50 },
	);
});
