// The end of a prompt: the form of the answer, with an example from this very run. Empty for a role whose prompt says it itself.

import type { ReportGrammar, StepType } from "../core/definition.ts";
import type { RunState, Step } from "../core/model.ts";
import { grammarOf, own } from "../core/query.ts";
import { decidingKeys, offeredOf } from "../core/report/grammar.ts";

export const ENDING = "## How to end";

/** The section about the answer, if it is the last one of a prompt file or a frame: it stands at the very end of the prompt, whatever else comes
 * after the file's own text. */
export function splitEnding(template: string): { readonly text: string; readonly ending: string } {
	const at = template.startsWith(`${ENDING}\n`) ? 0 : template.indexOf(`\n${ENDING}\n`);
	const rest = at === -1 ? "" : template.slice(at).replace(/^\n?.*\n/, "");
	return rest === "" || /^## /m.test(rest) ? { text: template, ending: "" } : { text: template.slice(0, at), ending: rest };
}

export interface EndingRequest {
	readonly state: RunState;
	readonly step: Step;
	readonly role: string | undefined;
	/** The prompt file and its frame, before anything is filled in. */
	readonly template: string;
	/** The story's id, or the run's. */
	readonly about: string;
	readonly testCommand: string | null;
	readonly lintCommand: string | null;
}

export function ending({ state, step, role = "", template, about, ...commands }: EndingRequest): string {
	const type = own(state.definition.types, step.type);
	if (type?.report?.expects !== undefined) return asLines(state, type, type.report.expects);
	const who = own(state.definition.roles, role);
	if (!who) return "";
	const grammar = grammarOf(state.definition, step, role);
	const form = formOf(grammar, template);
	const parts = [
		...(form === "" ? [] : [form]),
		...(who.report.notes === "summary" || grammar.notes === "summary" ? [asSummary(type, about, commands, form !== "")] : []),
	];
	return parts.length === 0 ? "" : [ENDING, ...parts].join("\n\n");
}

/** The keys of the report and what they may say; empty if every message will do, or if the prompt names a deciding key itself. */
function formOf(grammar: ReportGrammar, template: string): string {
	const deciding = decidingKeys(grammar);
	if (deciding.size === 0 || [...deciding].some((key) => new RegExp(`\\b${key}\\b`).test(template))) return "";
	const lines = grammar.keys.map((key) => {
		const values = offeredOf(grammar, key).filter((value) => value !== "*");
		return `- \`${key}:\` ${values.length > 0 ? values.map((value) => `\`${value.replace(/\*$/, "")}\``).join(" or ") : whatOf(grammar, key)}`;
	});
	return [
		"End your final message with these lines, each key at the start of a line, outside of quotations and code blocks:",
		lines.join("\n"),
	].join("\n\n");
}

const whatOf = (grammar: ReportGrammar, key: string): string =>
	key === grammar.findings ? "one line for each finding, as `- [short-key] class: text`, or `none`" : "in your own words";

function asSummary(
	type: StepType | undefined,
	about: string,
	{ testCommand, lintCommand }: Pick<EndingRequest, "testCommand" | "lintCommand">,
	after: boolean,
): string {
	const reads = type?.writes === "none";
	const lints = type?.checks.includes("lint") ?? false;
	const command = lints ? lintCommand : testCommand;
	const proof = command === null || /[`\n]/.test(command) ? `the ${lints ? "linter passes" : "tests pass"}` : `\`${command}\` passes`;
	const lines = reads
		? [`${about}: what you found or decided, with \`path:line\``, "later steps must know: …", "open: nothing"]
		: [`${about}: what you did, with \`path:line\`; ${proof}`, "later steps must know: …", "open: nothing"];
	const begin = after ? "After them comes a section" : "End your final message with a section";
	return `${begin} \`## SUMMARY\` of 3-5 lines and nothing after it: all that later steps see of your message. For example:

${["## SUMMARY", ...lines.map((line) => `- ${line}`)].map((line) => `    ${line}`).join("\n")}`;
}

/** A judge must not read that only one answer is good. */
function asLines({ definition }: RunState, type: StepType, expects: string): string {
	const judges = /^[ \t]*STATUS:[ \t]*retry\b/im.test(own(definition.prompts, type.prompt ?? "") ?? "");
	if (judges)
		return `## How to end

End your final message with one of the answers that are asked for above and nothing of the other, each key at the start of a line. Say \`${expects}\` if all is well, and \`STATUS: retry\` with what is wrong if it is not: both are good answers.`;
	if (/^[ \t]*STATUS:[ \t]*blocked\b/im.test(own(definition.prompts, type.prompt ?? "") ?? ""))
		return `## How to end

End your final message with one of the answers that are asked for above and nothing of the other, each key at the start of a line. Say \`${expects}\` if you did the step, and \`STATUS: blocked\` with the reason if it cannot be done: a person reads it and decides. Both are good answers.`;
	const keys = (type.report?.keys ?? []).map((key) => `\`${key}\``).join(", ");
	return `## How to end

End your final message with the lines that are asked for above, each key (${keys}) at the start of a line. \`${expects}\` says that you did the step, whatever you found; without that the step counts as failed.`;
}
