// What the agent of a retro reads: the record of a run as a folder of text files, put together by pawl and bounded in size. It names everything
// that the journal, the logs, the checks and git say about the run, with the most telling parts first.
import { mkdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { headOf, withoutMiddle } from "../../core/cut.ts";
import type { Event } from "../../core/event.ts";
import { failingPart } from "../../core/failing-part.ts";
import { RUN_SCOPE, type RunState, type Scope } from "../../core/model.ts";
import { money } from "../../core/money.ts";
import { startedWith } from "../../core/started-with.ts";
import { showDefinition } from "../../definition/view/show.ts";
import { textIn } from "../../files/read.ts";
import { shownEvent } from "../look/journal.ts";
import { spentInAll } from "../look/spent.ts";
import { keptDiffs, logFile } from "../run-files.ts";
import { type AttemptRow, attemptRows } from "./attempts.ts";

export interface DigestOf {
	readonly state: RunState;
	readonly events: readonly Event[];
	/** The change of each story as a patch; null if nothing of it is left. */
	readonly diffs: ReadonlyMap<string, string | null>;
	/** The text of pawl.yml; null if there is none. */
	readonly config: string | null;
	/** The workflow's own files as they are now, by their path in its folder; empty if they cannot be found. */
	readonly workflow: Readonly<Record<string, string>>;
}

const READ_BYTES = 1_000_000;
const JOURNAL_BYTES = 300_000;
const DIFF_BYTES = 60_000;
const DIFFS = 40;
const OUTPUT_BYTES = 4000;
const OUTPUTS = 60;
const NOTES_BYTES = 200_000;
const LOG_BYTES = 40_000;
const LOGS = 20;
const REASON_CHARS = 500;

/** Writes the files below a folder and returns their names, each with what it holds. */
export function writeDigest(folder: string, of: DigestOf): readonly (readonly [name: string, what: string])[] {
	const rows = attemptRows(of.events, of.state);
	const files: [name: string, what: string, text: string][] = [
		["overview.md", "the run: input, stories, cost, and how it ended", overview(of, rows)],
		["attempts.md", "every session and every other attempt: role, time, cost, how it ended and why", attempts(of.state, rows)],
		["checks.md", "the checks that failed, with the part of the output that says why", checks(of.events)],
		["notes.md", "what each step said, remarks of pawl, and what was kept", notes(of.state, of.events)],
		["journal.jsonl", "the journal; the middle of a long one is left out", journal(of.events)],
		...[...of.diffs].flatMap(([story, patch]): [string, string, string][] =>
			patch === null || patch === "" ? [] : [[`diffs/${fileName(story)}.diff`, `what ${story} changed`, cut(patch, DIFF_BYTES)]],
		),
		...keptDiffs(startedWith(of.state).sharedDir)
			.slice(-DIFFS)
			.map((file): [string, string, string] => [`put-back/${basename(file)}`, "work that was put back", cut(textOf(file), DIFF_BYTES)]),
		...logs(of.state, rows),
		["workflow/definition.txt", "the workflow as the run used it", showDefinition(of.state.definition)],
		...Object.entries(of.state.definition.prompts).map(([name, text]): [string, string, string] => [
			`workflow/${name}`,
			"a prompt as the run used it",
			text,
		]),
		...Object.entries(of.workflow).map(([name, text]): [string, string, string] => [
			`workflow-now/${name}`,
			"the workflow's file as it is now, to write a diff against",
			text,
		]),
		...(of.config === null
			? []
			: [["pawl.yml", "the user's configuration as it is now, to write a diff against", of.config] as [string, string, string]]),
	];
	for (const [name, , text] of files) {
		mkdirSync(dirname(join(folder, name)), { recursive: true });
		writeFileSync(join(folder, name), text);
	}
	return files.map(([name, what]) => [name, what] as const);
}

function overview({ state, events }: DigestOf, rows: readonly AttemptRow[]): string {
	const spent = spentInAll(events, state);
	const took = (state.endedAt ?? state.createdAt) - state.createdAt;
	return [
		`# Run ${state.id} of ${state.definition.name}: ${state.title}`,
		"",
		`- it is ${state.status}${state.reason === null ? "" : `: ${state.reason}`}`,
		`- ${spent.sessions} sessions, ${spent.costUsd === null ? "cost unknown" : money(spent.costUsd)}${spent.unknown > 0 ? ` (${spent.unknown} of unknown cost)` : ""}, ${minutes(took)} from start to end`,
		`- input: ${headOf(state.input["request"] ?? state.title, 4000)}`,
		"",
		"| story | status | sessions | cost | why it did not complete |",
		"|---|---|---|---|---|",
		...[RUN_SCOPE, ...state.stories.map(({ id }) => id)].map((id) => {
			const story = state.stories.find((one) => one.id === id);
			const own = rows.filter((row) => row.scope === id && row.usage !== null);
			const name = story === undefined ? "(the run itself)" : `${id} ${story.title}`;
			return `| ${cell(name)} | ${story?.status ?? state.status} | ${own.length} | ${costOf(own)} | ${cell(story?.error ?? "")} |`;
		}),
		"",
	].join("\n");
}

/** Unknown is never shown as zero. */
function costOf(rows: readonly AttemptRow[]): string {
	const known = rows.flatMap(({ usage }) => usage?.costUsd ?? []);
	if (known.length === 0) return rows.length === 0 ? "" : "unknown";
	const sum = money(known.reduce((a, b) => a + b, 0));
	return known.length === rows.length ? sum : `${sum} and ${rows.length - known.length} of unknown cost`;
}

function attempts(state: RunState, rows: readonly AttemptRow[]): string {
	const parts = [RUN_SCOPE, ...state.stories.map(({ id }) => id)].flatMap((scope) => {
		const own = rows.filter((row) => row.scope === scope);
		if (own.length === 0) return [];
		const lines = own.map((row) => {
			const took = row.endedAt === null ? "" : minutes(row.endedAt - row.startedAt);
			const cost = row.usage === null ? "" : row.usage.costUsd === null ? "unknown" : money(row.usage.costUsd);
			return `| ${row.step} ${row.type} | ${row.attempt} | ${row.role} | ${took} | ${cost} | ${row.ended} | ${cell(row.reason)} |`;
		});
		const head = ["| step | attempt | role | time | cost | ended | reason |", "|---|---|---|---|---|---|---|"];
		return [`## ${scope === RUN_SCOPE ? "The run itself" : scope}`, "", ...head, ...lines, ""];
	});
	return `# Attempts\n\n${parts.join("\n")}`;
}

function checks(events: readonly Event[]): string {
	const failed = events.flatMap((event) =>
		event.event === "checks_recorded"
			? event.checks
					.filter((check) => check.exitCode !== 0 && !check.reused)
					.map((check) => ({ ...check, of: `${event.scope} ${event.step}, attempt ${event.attempt}` }))
			: [],
	);
	const shown = failed.slice(-OUTPUTS).map(({ name, command, exitCode, output, of }) => {
		const how = exitCode === null ? "it did not end" : `exit ${exitCode}`;
		return `## ${name} after ${of}\n\n\`${command}\`: ${how}\n\n${indented(failingPart(output, OUTPUT_BYTES))}\n`;
	});
	return `# Checks that failed: ${failed.length}\n\n${shown.join("\n")}`;
}

function notes(state: RunState, events: readonly Event[]): string {
	const remarks = events.flatMap((e) => (e.event === "remarked" ? [`- ${e.scope} ${e.step}, attempt ${e.attempt}: ${e.text}`] : []));
	const of = (scope: Scope): string[] => [
		...scope.steps.flatMap((step) =>
			step.notes === null || step.notes.trim() === "" ? [] : [`## ${scope.id} ${step.id} ${step.type}\n\n${indented(step.notes)}\n`],
		),
		...scope.kept.map(({ name, step, text }) => `- kept as ${name} by ${scope.id} ${step}: ${text}`),
	];
	const parts = ["# Notes", "", ...remarks, ...[state.root, ...state.stories.map((s) => s.scope)].flatMap(of)];
	return cut(`${parts.join("\n")}\n`, NOTES_BYTES);
}

const journal = (events: readonly Event[]): string =>
	cut(`${events.map((event) => JSON.stringify(shownEvent(event))).join("\n")}\n`, JOURNAL_BYTES);

/** The logs of steps that took more than one attempt, or that failed: where sessions went. */
function logs(state: RunState, rows: readonly AttemptRow[]): [string, string, string][] {
	const telling = new Set(
		rows.filter((row) => row.usage !== null && (row.attempt > 1 || row.reason !== "")).map((row) => `${row.scope} ${row.step}`),
	);
	return [...telling].slice(0, LOGS).flatMap((key): [string, string, string][] => {
		const [scope = "", step = ""] = key.split(" ");
		const text = textOf(logFile(state, scope, step));
		const name = `logs/${scope === RUN_SCOPE ? "run" : fileName(scope)}-${step}.jsonl`;
		return text === "" ? [] : [[name, `what the sessions of ${step} printed; the middle of a long log is left out`, cut(text, LOG_BYTES)]];
	});
}

const cut = (text: string, bytes: number): string => withoutMiddle(text, bytes, "");
const cell = (text: string): string => headOf(text.replace(/\s+/g, " ").replaceAll("|", "\\|"), REASON_CHARS);
const minutes = (ms: number): string => (ms < 60_000 ? `${Math.round(ms / 1000)} s` : `${Math.round(ms / 60_000)} min`);
const indented = (text: string): string => text.trimEnd().replace(/^/gm, "    ");
/** A story's id may be any text of a document. */
const fileName = (text: string): string => text.replace(/[^\w.-]/g, "_").slice(0, 80);

/** Whatever an agent put in its place. */
const textOf = (file: string): string => textIn(file, { max: READ_BYTES, tail: true }) ?? "";
