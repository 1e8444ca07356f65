// Every row of the routing matrix: the scripted roles give the signal, the next dispatch is looked at. And that a row cannot get lost.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { World } from "../../src/core/testing/world.suite.ts";
import { parseDefinition } from "../../src/definition/parse.ts";
import { isFailure, routeOf, sayer, testName, well } from "./matrix.ts";
import { DOCUMENT, gated, routesDocument } from "./routes-document.ts";
import { ROWS } from "./rows.ts";

const definition = await gated();
const say = sayer(definition);
const folder = join(import.meta.dirname, "..", "..", "workflows", "gated");

/** Plays until nothing is left, or until enough was dispatched. */
function play(row: (typeof ROWS)[number]): World {
	const world = new World(definition);
	world.play({ ...well(say), ...row.script(say) });
	return world;
}

describe("the routing matrix", () => {
	ROWS.forEach((row, i) => {
		test(testName(row, i), () => {
			const world = play(row);
			assert.notEqual(routeOf(definition, row), "", "the definition has it");
			if ("status" in row.next) {
				assert.equal(world.state.status, row.next.status);
				return;
			}
			const [start] = row.next;
			const from = world.started.indexOf(start ?? "");
			assert.deepEqual(world.started.slice(from, from + row.next.length), row.next);
			if (row.spent !== undefined) assert.equal(world.state.budgets["plan_rework"]?.spent, row.spent);
			for (const [name, count] of Object.entries(row.kept ?? {}))
				assert.equal(world.state.root.kept.filter((k) => k.name === name).length, count, name);
			assert.equal(world.state.status, row.next.includes("failure") ? "failed" : "completed", world.state.reason ?? "");
		});
	});

	test("there are 46 rows, as many in each phase as in the document", () => {
		const count = (phase: string) => ROWS.filter((row) => row.phase === phase).length;
		assert.deepEqual(["1", "2", "3", "4", "5", "5.5", "6", "7", "8", "9", "run"].map(count), [3, 2, 1, 6, 1, 5, 6, 6, 9, 6, 1]);
		assert.equal(ROWS.length, 46);
	});

	test("O-84 docs/gated-routes.md is what the definition says", () => {
		assert.equal(readFileSync(DOCUMENT, "utf8"), routesDocument(definition), "stale: run node test/gated/routes-document.ts");
	});
});

describe("no row gets lost", () => {
	const text = readFileSync(join(folder, "workflow.yml"), "utf8");
	const load = (yaml: string) =>
		parseDefinition(yaml, { file: "workflow.yml", readPrompt: (name) => ({ text: readFileSync(join(folder, name), "utf8") }) });

	test("every signal that a role can give has a route of its own: taken out, the definition does not load", () => {
		const { types, roles } = definition;
		let tried = 0;
		for (const type of Object.values(types)) {
			const names = [type.role, ...(type.members ?? []).filter((m) => m.blocking).map((m) => m.role)].filter((n) => n !== undefined);
			const grammar = type.report ?? roles[names[0] ?? ""]?.report;
			for (const signal of new Set(grammar?.signals.map((s) => s.signal) ?? [])) {
				assert.ok(Object.hasOwn(type.routes, signal), `${type.name}: ${signal}`);
				const without = withoutRoute(text, type.name, signal);
				// `done` has a default; the rows above say where each of them leads.
				if (without === null || signal === "done") continue;
				tried++;
				const loaded = load(without);
				assert.ok(!loaded.ok, `${type.name} loads without ${signal}`);
				// A route that others refer to takes more with it.
				const said = loaded.problems.map((p) => p.message).join("\n");
				if (!/alias/i.test(said)) assert.match(said, new RegExp(`\`${type.name}\` can end in .*${signal}`));
			}
		}
		assert.ok(tried > 30, `${tried} routes were taken out`);
	});

	test("the signals of actions are routed by name too, and the workflow's * is for failures only", () => {
		const without = load(text.replace("unfit: refuse, ", ""));
		assert.ok(!without.ok);
		assert.match(without.problems[0]?.message ?? "", /`sanity` can end in `?unfit/);
		for (const type of Object.values(definition.types))
			for (const [signal, route] of Object.entries(type.routes))
				if (route.action === "next" || route.action === "complete")
					assert.ok(!isFailure(signal) || definition.abort.some((s) => s.type === type.name), `${type.name}: ${signal}`);
	});
});

/** The YAML with this signal taken out of the type's routes; null where the type says it in a way that this does not find. */
function withoutRoute(text: string, type: string, signal: string): string | null {
	const start = text.indexOf(`\n  ${type}:\n`);
	const end = text.slice(start + 1).search(/\n {2}\S/) + start + 1;
	const body = text.slice(start, end === start ? undefined : end);
	const on = body.indexOf("\n    on:");
	if (start < 0 || on < 0) return null;
	const routes = body.slice(on);
	for (const [found, instead] of [
		[new RegExp(`(\\{|, )${signal}: (?:\\{[^{}]*(?:\\{[^{}]*\\}[^{}]*)*\\}|[a-z_ ]+|\\*\\w+)(?=[,}])`), "$1GONE"],
		[new RegExp(`([{ |])${signal}\\|`), "$1"],
		[new RegExp(`\\|${signal}(?=[:|])`), ""],
		[new RegExp(`\\n {6}${signal}:(?: .*)?(?:\\n {8}.*)*`), ""],
	] as const) {
		if (!found.test(routes)) continue;
		const left = routes.replace(found, instead).replace(/, GONE|GONE, ?|GONE/, "");
		return text.slice(0, start) + body.slice(0, on) + left + text.slice(start + body.length);
	}
	return null;
}
