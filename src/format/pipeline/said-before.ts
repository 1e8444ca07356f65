// What agents said about work that is done, for those who describe it to others: every report about it and not only the last one, story by story,
// and whether somebody verified it at all.
import type { RunState, Scope } from "../../core/model.ts";
import { findScope, typeOf } from "../../core/query.ts";
import { allChanges } from "../../core/report/said-changes.ts";
import type { PromptContext } from "../../format.ts";

const MOST_CHARS = 6000;
const LEAST_CHARS = 160;

/** Variables about earlier reports. A judge looks at what is new, and at the work itself. */
export function saidBefore(of: PromptContext): Record<string, string> {
	const { state, scope: id, promptText } = of;
	const scope = findScope(state, id) ?? state.root;
	const judges = typeOf(state, of.step)?.routes["retry"]?.action === "goto";
	const changes = judges ? "" : allChanges(scope);
	return {
		...(changes === "" ? {} : { changes }),
		...passedByPerson(state, scope),
		...(promptText.includes("story_reports") ? { story_reports: storyReports(state) } : {}),
	};
}

/** A judge that never said yes, because a person let the work pass, has verified nothing. */
function passedByPerson(state: RunState, scope: Scope): Record<string, string> {
	const passed = scope.steps.filter((step) => {
		const sent = scope.fields[`${step.type}_feedback`]?.trim() ?? "";
		return step.status === "completed" && sent !== "" && typeOf(state, step)?.routes["retry"]?.action === "goto";
	});
	return Object.fromEntries(
		passed.flatMap((step) => {
			const said = (scope.fields[`${step.type}_feedback`] ?? "").trim();
			const text = `(not by ${step.type}: it sent the work back, and a person let it pass all the same. It had said:\n${said})`;
			return (typeOf(state, step)?.report?.wants?.["done"] ?? []).map((key) => [key.toLowerCase(), text] as const);
		}),
	);
}

function storyReports(state: RunState): string {
	const done = state.stories.filter(({ status }) => status === "completed");
	if (done.length === 0) return "(none yet)";
	const most = Math.max(LEAST_CHARS, Math.floor(MOST_CHARS / done.length / 2));
	return done
		.map(({ id, title, excused, scope }) => {
			if (excused !== undefined) return `- ${id}: ${title} (nothing was changed for it: ${oneLine(excused)})`;
			const said = { ...scope.fields, ...passedByPerson(state, scope) };
			const parts = [
				["changed", allChanges(scope) || (said["changes"] ?? "")],
				["verified", said["verified"] ?? ""],
			] as const;
			const lines = parts.filter(([, text]) => text.trim() !== "").map(([name, text]) => `  ${name}: ${cut(oneLine(text), most)}`);
			return [`- ${id}: ${title}`, ...lines].join("\n");
		})
		.join("\n");
}

const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();
const cut = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most)}…` : text);
