import { test } from "node:test";
import { problemsAt, workflow } from "../marked.suite.ts";

test("T-03 G-21 a type, a signal or a cap whose name would make two counters one is refused at its place", () => {
	problemsAt(workflow("  §budget: {role: dev}", "[budget]"), /`budget` is what pawl calls its own counters/);
	problemsAt(workflow("  §step-001: {role: dev}", "[step-001]"), /`step-001` is what pawl calls its own/);
	problemsAt(
		workflow("  §a: {action: x, signals: [visits], on: {visits: next}}", "[a]"),
		/`a` can end in `visits`, which is a counter of pawl's own/,
	);
	const counted = (count: string) =>
		`  a: {role: dev}\n  b: {role: judge, on: {good: next, bad: {goto: a, count: ${count}, max: 2/entry, exhausted: fail run}}}`;
	problemsAt(workflow(counted("§visits"), "[a, b]"), /`visits` is a counter of pawl's own/);
	problemsAt(workflow(counted("§good"), "[a, b]"), /`good` is also a signal of `b`/);
	problemsAt(workflow(counted("rounds"), "[a, b]"));
});

test("T-03 G-21 types may have names of counters if the counters stay distinct", () => {
	problemsAt(workflow("  entry: {role: dev}\n  row: {role: dev}\n  visits: {role: dev}", "[entry, row, visits]"));
});

test("G-21 a route cannot set a field that pawl itself sets", () => {
	problemsAt(
		workflow("  a: {role: judge, on: {good: {next: true, set: {§delivered: x}}, bad: fail run}}", "[a]"),
		/`delivered` is a field that pawl itself sets/,
	);
});
