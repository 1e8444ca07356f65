// What outlasts a session: the progress log of the run, and what an agent has written down for itself in its own folder. All of
// it is written by agents, so it is read with care and never in full size.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { withoutMiddle } from "../../core/cut.ts";
import type { RunState } from "../../core/model.ts";
import { textIn } from "../../files/read.ts";
import type { Memory } from "../../prompt/run-variables.ts";
import type { EngineParts } from "../parts.ts";

const FILE_BYTES = 4 * 1024 * 1024;
const SHOWN_BYTES = 64 * 1024;

/** Where the run's log is; null for a run that keeps none. */
export const progressFileOf = (state: RunState): string | null => state.input["progress_file"] ?? null;

export async function memoryOf(parts: EngineParts, state: RunState, role: string, writes: boolean): Promise<Memory> {
	const progressFile = progressFileOf(state);
	const home = state.definition.roles[role]?.files === undefined ? null : (parts.homeOf?.(state, role) ?? null);
	if (home !== null && writes) await mkdir(home, { recursive: true }).catch(() => {});
	return {
		progress: progressFile === null ? "(no progress file)" : (await shown(progressFile)) || "(no progress yet)",
		progressFile,
		home,
		knowledge: home === null ? "" : section(await shown(join(home, "AGENTS.md")), "Codebase Knowledge"),
		notes: home === null ? "" : await shown(join(home, "MEMORY.md")),
	};
}

async function shown(file: string): Promise<string> {
	const text = textIn(file, { max: FILE_BYTES, oneName: true });
	return text !== null ? withoutMiddle(text.trim(), SHOWN_BYTES, `; the whole text is in ${file}`) : "";
}

/** The text under a heading of the second level. */
export function section(text: string, heading: string): string {
	const lines = text.split("\n");
	const from = lines.findIndex(
		(line) =>
			line
				.replace(/^##\s+/, "")
				.trim()
				.toLowerCase() === heading.toLowerCase() && line.startsWith("## "),
	);
	if (from < 0) return "";
	const rest = lines.slice(from + 1);
	const to = rest.findIndex((line) => /^##? /.test(line));
	return (to < 0 ? rest : rest.slice(0, to)).join("\n").trim();
}
