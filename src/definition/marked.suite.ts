// For tests of problems: a workflow's text in which § marks the position of each expected problem.
import assert from "node:assert/strict";
import { type Loaded, parseDefinition } from "./parse.ts";

export const parse = (text: string, prompts: Readonly<Record<string, string>> = {}): Loaded =>
	parseDefinition(text, {
		file: "workflow.yml",
		readPrompt: (path) => ({ text: Object.hasOwn(prompts, path) ? (prompts[path] ?? "") : "Do it." }),
	});

/** Asserts that a marked text has exactly these problems, in order, each at its mark. */
export function problemsAt(marked: string, ...messages: RegExp[]): void {
	const positions: string[] = [];
	const lines = marked.split("\n").map((line, i) => {
		const parts = line.split("§");
		let column = 1;
		for (const part of parts.slice(0, -1)) {
			column += part.length;
			positions.push(`${i + 1}:${column}`);
		}
		return parts.join("");
	});
	const loaded = parse(lines.join("\n"));
	const found = loaded.ok ? [] : loaded.problems;
	const shown = found.map((p) => `${p.line}:${p.column}: ${p.message}`).join("\n");
	assert.deepEqual(
		found.map((p) => `${p.line}:${p.column}`),
		positions,
		shown || "no problem was found",
	);
	messages.forEach((message, i) => {
		assert.match(found[i]?.message ?? "", message);
	});
	assert.equal(messages.length, found.length, shown);
}

/** A valid workflow with the given types, steps and more. */
export const workflow = (types: string, steps: string, more = ""): string => `name: t
title: T
inputs: {request: {reader: request, workspace: tree}}
roles:
  dev: {report: {notes: text}}
  judge: {report: {signals: {good: {VERDICT: good}, bad: {VERDICT: bad}}, keys: [ISSUES]}}
on:
  done: next
  unreadable|agent_error|timeout|stalled|rate_limited|overloaded|auth|permission|context_too_long|boundary_violation|lost|workspace_error: fail run
${more}
steps: ${steps}
types:
${types}
`;
