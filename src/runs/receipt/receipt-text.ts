// A receipt for people, as Markdown; and as the note of a commit, which other programs read too.
import { workerText } from "../../core/assign/worker-text.ts";
import { foreignValue } from "../../core/text/foreign-json.ts";
import { oneLine } from "../../text/markdown.ts";
import type { Receipt } from "./receipt.ts";

/** The last line of a note: the receipt as JSON. */
const MARK = "pawl-receipt: ";
const MOST_CHARS = 300;

export const noteText = (receipt: Receipt): string => `${receiptText(receipt).trimEnd()}\n\n${MARK}${JSON.stringify(receipt)}`;

/** What a note says; null if it is none of pawl's. Anybody can write one, so the values are not to be trusted. */
export function readNote(
	note: string,
): { readonly text: string; readonly receipt: unknown; readonly run: string | null; readonly story: string | null } | null {
	const at = note.lastIndexOf(`\n${MARK}`);
	const receipt = at < 0 ? undefined : foreignValue(note.slice(at + 1 + MARK.length).trim());
	if (typeof receipt !== "object" || receipt === null) return null;
	const { run, story } = receipt as { readonly run?: unknown; readonly story?: unknown };
	return {
		text: `${note.slice(0, at).trimEnd()}\n`,
		receipt,
		run: typeof run === "string" ? run : null,
		story: typeof story === "string" ? story : null,
	};
}

export function receiptText(receipt: Receipt): string {
	const { run, workflow, story, status, asked, commits, restarts } = receipt;
	const what = story === null ? `run ${run}` : `${story} of run ${run}`;
	return `${[
		`# ${plain(asked.title)}`,
		`Made by pawl: ${what}, workflow ${workflow}, ${words(status)}.${commits.length > 1 ? ` ${commits.length} commits.` : ""}`,
		...(asked.description.trim() === "" || asked.description.trim() === asked.title ? [] : [quoted(asked.description)]),
		section("Acceptance criteria", criteriaLines(receipt)),
		section("Steps", stepLines(receipt)),
		section("Checks", checkLines(receipt)),
		section(
			"Changes to the plan",
			receipt.edits.map(({ operation, reason, step }) => `- ${step}: ${words(operation)}: ${plain(reason)}`),
		),
		section(
			"Decisions by people",
			receipt.decisions.map(
				({ step, verdict, reason, by }) =>
					`- ${step}: ${verdict}${by === null ? "" : ` by ${plain(by)}`}${reason === "" ? "" : `: ${plain(reason)}`}`,
			),
		),
		`${costText(receipt)}${restarts === 0 ? "" : ` ${restarts} ${restarts === 1 ? "restart" : "restarts"}.`}`,
	]
		.filter((part) => part !== "")
		.join("\n\n")}\n`;
}

const section = (heading: string, lines: readonly string[]): string => (lines.length === 0 ? "" : `## ${heading}\n\n${lines.join("\n")}`);

export function criteriaLines({ criteria }: Pick<Receipt, "criteria">): string[] {
	return criteria.map(({ criterion, met, evidence }) => {
		const word = met === null ? "not judged" : evidence.map(plain).join("; ") || (met ? "met" : "not met");
		return `- [${met === true ? "x" : " "}] ${plain(criterion)}: ${word}`;
	});
}

function stepLines({ steps }: Receipt): string[] {
	return steps.flatMap(({ step, type, status, attempts }) => [
		`- ${step} ${type}: ${words(status)}`,
		...attempts.map((one) => {
			const who = [one.role, workerText(one)].filter((name) => name !== "").map(plain);
			const prompt = one.prompt === null ? [] : [`prompt ${one.prompt}`];
			const ended = [...(one.signal === "lost" && one.reason !== null ? [] : [words(one.signal ?? "under way")]), plain(one.reason ?? "")];
			return `  - ${[`attempt ${one.number}`, ...who, ...prompt, ended.filter((text) => text !== "").join(": ")].join(", ")}`;
		}),
	]);
}

export const checkLines = ({ checks }: Pick<Receipt, "checks">): string[] =>
	checks.map(({ check, command, exit_code, tree }) => {
		const how = exit_code === 0 ? "passed" : exit_code === null ? "did not end" : `failed, exit ${exit_code}`;
		return `- ${plain(check)} (${code(command)}): ${how}${tree === null ? "" : ` on tree ${tree.slice(0, 12)}`}`;
	});

export function costText({ cost }: Pick<Receipt, "cost">): string {
	const sessions = `${cost.sessions} ${cost.sessions === 1 ? "session" : "sessions"}`;
	const known = cost.cost_usd === null ? "cost unknown" : `$${cost.cost_usd.toFixed(2)}`;
	const unknown = cost.cost_usd !== null && cost.unknown_cost_sessions > 0 ? ` and ${cost.unknown_cost_sessions} of unknown cost` : "";
	return `Cost: ${sessions}, ${known}${unknown}.`;
}

const words = (name: string): string => name.replaceAll("_", " ");

/** Titles, criteria and reasons are other people's: one line, without markup that would change what is around it. */
function plain(text: string): string {
	const line = oneLine(text);
	return (line.length > MOST_CHARS ? `${line.slice(0, MOST_CHARS)}…` : line).replace(/^([#>*+-])/, "\\$1").replaceAll("<", "&lt;");
}

const code = (command: string): string => `\`${oneLine(command).replaceAll("`", "'")}\``;

const quoted = (text: string): string =>
	text
		.trim()
		.split(/\r?\n/)
		.map((line) => `> ${line.replaceAll("<", "&lt;")}`.trimEnd())
		.join("\n");
