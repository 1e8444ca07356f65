// The text of a pull request: what an agent wrote for it, else what the run itself knows, and always the list of stories.
import { pullRequestBody, pullRequestTitle } from "../../core/mark.ts";
import type { RunState } from "../../core/model.ts";

export const titleOf = (state: RunState): string => oneLine(plain(pullRequestTitle(state) ?? "")) || oneLine(state.title);

/** A title has no markup. */
const plain = (text: string): string =>
	text
		.replace(/^\s*#+\s+/, "")
		.replace(/[*`]+/g, "")
		.replace(/^["']([^"']*)["']$/, "$1");

export function bodyOf(state: RunState): string {
	const { fields } = state.root;
	const part = (heading: string, text: string | undefined): string => (text?.trim() ? `## ${heading}\n\n${text.trim()}` : "");
	const stories = state.stories.map((s) => `- ${s.id}: ${oneLine(s.title)}\n${s.criteria.map((c) => `  - ${oneLine(c)}`).join("\n")}`);
	const written = pullRequestBody(state) ?? "";
	return `${[
		written === "" ? part("Task", state.input["request"] ?? state.title) : written,
		part("Stories", stories.join("\n")),
		...(written === "" ? [part("Changes", fields["changes"]), part("Tests", fields["results"] ?? fields["tests"])] : []),
		`Made by pawl, run ${state.id}.`,
	]
		.filter((text) => text !== "")
		.join("\n\n")}\n`;
}

const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim().slice(0, 200);
