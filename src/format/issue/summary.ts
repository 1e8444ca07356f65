// The action `issue.summary`: writes the result of the run to `summary.md` in its folder, with a copy that survives removing the worktree.
// Also after a failure, with what to do next.

import { join } from "node:path";
import { summaryFact } from "../../core/mark.ts";
import { startedWith } from "../../core/started-with.ts";
import { renderTemplate } from "../../core/template.ts";
import { writeWholeSync } from "../../files/write.ts";
import type { Action, StepContext } from "../../format.ts";
import { causeOf } from "./actions.ts";
import { fieldOf, runDirOf, withOf } from "./artifacts/context.ts";
import { snapshot, writeArtifact, writeMarker } from "./artifacts/folder.ts";
import { dispatchesOf } from "./artifacts/keeper.ts";

export const SUMMARY = "summary.md";

/** `with`: phase → the step types that belong to it. */
export const summary: Action = async (context) => {
	const { state, sharedDir } = context;
	const dir = runDirOf(context);
	const failed = state.aborting;
	const text = summaryText(context, await commitsOf(context));
	try {
		writeArtifact(dir, SUMMARY, text);
		writeMarker(dir, { run: state.id, issue: state.input["issue_id"] ?? "", status: failed ? "failed" : "done" });
	} catch (error) {
		context.warn(`${join(dir, SUMMARY)} cannot be written: ${error instanceof Error ? error.message : String(error)}`);
	}
	keepOutside(context, failed ? "failure.md" : SUMMARY, text);
	return {
		signal: "done",
		notes: join(dir, SUMMARY),
		...(failed ? { remarks: [causeOf(context)] } : {}),
		facts: summaryFact(join(sharedDir, failed ? "failure.md" : SUMMARY)),
	};
};

/** A copy of what was planned, reviewed and diagnosed, which survives removing the worktree. */
function keepOutside({ sharedDir, state }: StepContext, name: string, text: string): void {
	writeWholeSync(join(sharedDir, name), text);
	for (const [file, body] of snapshot(state.input["run_dir"] ?? ""))
		if (body !== null) writeWholeSync(join(sharedDir, "artifacts", file), body);
}

async function commitsOf({ state, repository, workspace }: StepContext): Promise<readonly { sha: string; subject: string }[]> {
	const others = await workspace.commitsOfOthers();
	const all = await repository.commits(startedWith(state).startCommit, workspace.branch).catch(() => []);
	return all.filter(({ sha }) => !others.includes(sha));
}

function summaryText(context: StepContext, commits: readonly { sha: string; subject: string }[]): string {
	const { state } = context;
	const since = Number(fieldOf(context, "kept_before")) || 0;
	const kept = (name: string, from = 0): string[] =>
		state.root.kept
			.slice(from)
			.filter((k) => k.name === name)
			.map((k) => `- ${k.text}`);
	const lines = (field: string): string[] =>
		fieldOf(context, field)
			.split("\n")
			.filter((line) => line.trim() !== "");
	const section = (title: string, body: readonly string[]): string => `## ${title}\n\n${body.length === 0 ? "None." : body.join("\n")}\n`;
	const failed = state.aborting;
	return [
		`# Summary: ${state.title.replace(/\s+/g, " ")}\n`,
		`Run ${state.id} on \`${context.workspace.branch}\` (from \`${state.input["base_branch"] ?? ""}\`): ${failed ? "**given up**" : `done, the issue is ${fieldOf(context, "issue_status")}`}.\n`,
		...(failed ? [section("Why it was given up", [causeOf(context)]), section("What to do now", [recovery(context)])] : []),
		section(
			"Commits",
			commits.map((c) => `- ${c.sha.slice(0, 12)} ${c.subject}`),
		),
		section("Blockers that no review resolved", kept("blockers", since)),
		section("Findings beside an accepted review (not filed)", kept("remarks", since)),
		section("Advisory notes (not filed)", kept("advisories")),
		section("Filed sub-issues", [
			...fieldOf(context, "filed_tasks")
				.split(" ")
				.filter((id) => id !== "")
				.map((id) => `- ${id} (split-from-run)`),
			...lines("filed_follow_ups").map((line) => `- ${line}`),
		]),
		section("Tasks completed without tests (NOT_TESTABLE)", lines("not_tested")),
		section("Plan and specs that were not clean", kept("hygiene")),
		section(
			"Open acceptance criteria",
			// Nothing was settled in a run that was given up.
			(failed ? (state.input["run_criteria"] ?? "").split("\n").filter((line) => line !== "") : lines("open_criteria")).map(
				(text) => `- ${text}`,
			),
		),
		section("Dispatches", dispatchTable(context)),
	].join("\n");
}

const recovery = ({ state }: StepContext): string =>
	renderTemplate(state.definition.recovery ?? "", { ...state.input, ...state.root.fields }).trim();

/** Counts and time of each phase, by the phases that the definition names. */
function dispatchTable(context: StepContext): string[] {
	const phases = Object.entries(withOf(context)).map(([name, types]) => ({
		name: name.replace("-", " ").replaceAll("-", "."),
		types: types.split(/[\s,]+/),
	}));
	const all = dispatchesOf(context.sharedDir);
	const rows = phases.flatMap(({ name, types }) => {
		const mine = all.filter((d) => types.includes(d.step));
		if (mine.length === 0) return [];
		const roles = [...new Set(mine.map((d) => d.role))].map((role) => `${role} ${mine.filter((d) => d.role === role).length}`);
		return [`| ${name} | ${mine.length} | ${roles.join(", ")} | ${(mine.reduce((sum, d) => sum + d.ms, 0) / 1000).toFixed(1)} s |`];
	});
	return rows.length === 0 ? [] : ["| phase | dispatches | roles | time |", "|---|---|---|---|", ...rows];
}
