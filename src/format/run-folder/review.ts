// What a reviewer said, wherever it said it: in its final message, in review.md or in loop_state.json. The next agent finds it in
// review.md and progress.md, and a person in the terminal.
import { headOf, tailOf } from "../../core/cut.ts";
import type { ReportGrammar } from "../../core/definition.ts";
import { grammarOf } from "../../core/query.ts";
import { decidingKeys } from "../../core/report/grammar.ts";
import { type Report, readReport } from "../../core/report/report.ts";
import type { AgentAnswer } from "../../format.ts";
import type { RunFolder } from "./folder.ts";
import type { Before } from "./put-back.ts";
import { sentence, type Turn } from "./turn.ts";

export interface Review {
	/** As the message decides; what it leaves open, review.md decides, provided this iteration wrote it. */
	readonly signal: string;
	/** Of the keys that decide: those that neither has. */
	readonly missing: readonly string[];
	/** On one line; empty if the reviewer gave none. */
	readonly reason: string;
	/** It has a REASON of its own, in its message or in review.md. */
	readonly hasReason: boolean;
	readonly actions: string;
	/** The whole of its final message. */
	readonly text: string;
}

const REASON_BYTES = 2000;
const ACTIONS_BYTES = 4000;
const NONE = /^(?:none|no|n\/a|-|nothing)?\.?$/i;

/** `asked`: the reason in loop_state.json, by which a reviewer may ask for steering. */
export function readReview({ context, folder }: Turn, said: AgentAnswer, before: Before, asked: string): Review {
	const text = folder.text(folder.own("review.md"));
	const written = text === null || text === before.files[folder.own("review.md")] ? null : text;
	const grammar = grammarOf(context.state.definition, context.step, context.role);
	const report = written === null ? null : readReport(grammar, written);
	const value = (key: string): string => said.fields[key]?.trim() || report?.fields[key]?.trim() || "";
	const deciding = [...decidingKeys(grammar)];
	return {
		signal: said.signal === "unreadable" && report !== null ? decided(grammar, deciding, said, report) : said.signal,
		missing: deciding.filter((key) => value(key) === ""),
		// A review without REASON still says something, if it has more than its lines.
		reason: headOf(flat(reasonIn(asked.trim(), value("REASON")) || tailOf(withoutLines(grammar, said.text), REASON_BYTES)), REASON_BYTES),
		hasReason: !NONE.test(value("REASON")) || !NONE.test(asked.trim()),
		actions: headOf(value("SUGGESTED_ACTIONS"), ACTIONS_BYTES),
		text: said.text.trim(),
	};
}

/** The message counts before review.md, which fills in what the message does not say: it settles no contradiction in it. */
function decided(grammar: ReportGrammar, deciding: readonly string[], said: AgentAnswer, report: Report): string {
	const open = deciding.filter((key) => (said.fields[key] ?? "").trim() === "");
	if (open.length === deciding.length) return report.signal;
	const lines = open.flatMap((key) => (report.fields[key] ? [`${key}: ${report.fields[key]}`] : []));
	return readReport(grammar, [said.text.trimEnd(), "", ...lines, ""].join("\n")).signal;
}

/** The one in loop_state.json says why the list has to change; the other may be about the work. */
const reasonIn = (asked: string, reason: string): string =>
	asked === "" || contains(reason, asked) ? reason : contains(asked, reason) ? asked : `${sentence(asked)} ${reason}`;

/** What it says beside the lines that decide. */
const withoutLines = (grammar: ReportGrammar, text: string): string => {
	const keys = [...decidingKeys(grammar), "REASON", "SUGGESTED_ACTIONS"];
	return text
		.split("\n")
		.filter((line) => !keys.some((key) => line.replace(/^[\s>*_`#-]+/, "").startsWith(key)) && !/^\s*```/.test(line))
		.join("\n")
		.trim();
};

/** Puts the review into review.md, unless the reviewer wrote it there itself. */
export function keepReview({ folder, iteration, mode }: Turn, review: Review, before: Before): void {
	const path = folder.own("review.md");
	const text = folder.text(path);
	const written = text !== null && text !== before.files[path];
	const whole = written ? text : `# Review of iteration ${iteration}${mode === undefined ? "" : ` (${mode})`}\n\n${review.text}\n`;
	const lacking = linesOf(review).filter(({ value }) => !contains(whole, value));
	if (written && lacking.length === 0) return;
	folder.write(path, [whole.trimEnd(), ...(lacking.length > 0 ? ["", ...lacking.map(asLine)] : []), ""].join("\n"));
}

/** The entry's lines for progress.md; none if the entry that the reviewer wrote says it already. */
export function progressLines(folder: RunFolder, review: Review, before: Before): string[] {
	const path = folder.own("progress.md");
	const was = before.files[path] ?? "";
	const now = folder.text(path) ?? "";
	const added = now.startsWith(was) ? now.slice(was.length) : now;
	return linesOf(review)
		.filter(({ value }) => !contains(added, value))
		.map((line) => `- ${asLine(line)}`);
}

/** For the terminal and the journal. */
export function reviewRemark({ mode }: Turn, { reason }: Review, signal: string): string {
	const verdict = VERDICTS[signal] ?? signal.replaceAll("_", " ");
	return `${mode === undefined ? "" : `${mode} `}review (${verdict})${reason === "" ? "" : `: ${reason}`}`;
}

const VERDICTS: Readonly<Record<string, string>> = {
	reviewed: "no steering needed",
	steering_requested: "steering needed",
	steering_due: "no steering needed, but it is due",
	final_accepted: "accepted",
	final_rejected: "not accepted",
	unreadable: "undecided",
};

interface Line {
	readonly key: string;
	readonly value: string;
}

const linesOf = ({ reason, actions }: Review): Line[] => [
	...(reason === "" ? [] : [{ key: "REASON", value: reason }]),
	...(NONE.test(actions) ? [] : [{ key: "SUGGESTED_ACTIONS", value: actions }]),
];
const asLine = ({ key, value }: Line): string => `${key}: ${value}`;
const flat = (text: string): string => text.replace(/\s+/g, " ").trim();
const contains = (text: string, value: string): boolean => flat(text).includes(flat(value));
