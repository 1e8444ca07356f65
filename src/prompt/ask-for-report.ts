// What an agent is told in a session that did its work and whose report could not be read: what was missing, and the form of the report with an
// example. The session has heard the whole prompt, so nothing of it is repeated.
import type { ReportGrammar, SignalRule } from "../core/definition.ts";
import { expectation, keysOf, offeredOf, wantedOf } from "../core/report/grammar.ts";
import { quoted } from "../core/text/quoted.ts";

export function askForReport(grammar: ReportGrammar, missing: string): string {
	const parts = [
		"Send the report of your last message again: it could not be read, or something is missing. What you did is kept. Do not do it again, and change nothing in the repository.",
		`What is missing:\n\n${quoted("missing", missing)}`,
		[
			"Answer with the whole report and nothing else. Each key starts a line of its own, outside of quotations and code blocks.",
			...choices(grammar),
		].join("\n"),
		`This is how such a report looks. Put what is true of your work in place of what the example says:\n\n${examples(grammar).join("\n\nor\n\n")}`,
	];
	return `${parts.join("\n\n")}\n`;
}

/** In a session whose report is good and whose edit file is not. */
export function askForEdits(missing: string, file: string): string {
	return [
		"Your work and your report are kept. Do not do the work again, and change nothing in the repository.",
		`What is wrong:\n\n${quoted("missing", missing)}`,
		`Write the whole file \`${file}\` again, mended: a JSON array and nothing around it. Without it the steps stay as they are. Then answer with one line.`,
	]
		.join("\n\n")
		.concat("\n");
}

/** Which values a key may have, for keys that have a choice. */
const choices = (grammar: ReportGrammar): string[] =>
	keysOf(grammar).flatMap((key) => {
		const wanted = offeredOf(grammar, key).filter((value) => value !== "*");
		return wanted.length === 0 ? [] : [`- ${key}: ${wanted.map((value) => `\`${plain(value)}\``).join(" or ")}`];
	});

/** A judge is shown both answers, so that neither looks like the right one. */
function examples(grammar: ReportGrammar): string[] {
	const done = grammar.signals.find(({ signal }) => signal === "done") ?? grammar.signals[0];
	const others = grammar.denies === undefined ? [] : grammar.signals.filter(({ signal }) => signal !== done?.signal);
	return [done, ...others].map((rule) => quoted("example", example(grammar, rule)));
}

function example(grammar: ReportGrammar, rule: SignalRule | undefined): string {
	const line = expectation(grammar);
	const wanted = grammar.wants?.[rule?.signal ?? ""] ?? [];
	const expected = line === null || rule?.signal !== "done" ? [] : [line.key];
	const keys = [...new Set([...Object.keys(rule?.when ?? {}), ...expected, ...(grammar.required ?? []), ...wanted])];
	return [
		...keys.map((key) => `${key}:${filled(grammar, rule, key)}`),
		...(line === null && rule?.signal === "done" && grammar.expects !== undefined ? [grammar.expects] : []),
		...(needsFindings(rule) && !keys.includes(grammar.findings ?? "") ? [`${grammar.findings ?? "FINDINGS"}:${finding(rule)}`] : []),
		...(grammar.notes === "summary"
			? ["", "## SUMMARY", "", "- what was done or found, what the next steps must know, what is still open"]
			: []),
	].join("\n");
}

const STORY =
	'[{"id": "US-001", "title": "List the open tasks", "description": "A command prints the tasks that are open.", "acceptanceCriteria": ["Done tasks are not printed"]}]';

const needsFindings = (rule: SignalRule | undefined): boolean => rule?.finding !== undefined || rule?.only !== undefined;

function finding(rule: SignalRule | undefined): string {
	const wanted = rule?.finding ?? rule?.only ?? "*";
	return `\n- [missing-test] ${wanted === "*" ? "fix" : wanted}: no test covers an empty list`;
}

/** What follows the colon. */
function filled(grammar: ReportGrammar, rule: SignalRule | undefined, key: string): string {
	const [wanted = "*"] = (rule?.when[key] ?? wantedOf(grammar, key)[0] ?? "*").split("|");
	if (wanted !== "*" && wanted !== "") return ` ${plain(wanted)}`;
	if (key === grammar.stories) return ` ${STORY}`;
	return key === grammar.findings ? finding(rule) : " what the prompt asks for here";
}

/** Without the sign that more may follow. */
const plain = (value: string): string => value.replace(/\*$/, "").trim();
