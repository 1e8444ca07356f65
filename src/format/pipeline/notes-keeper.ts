// Keeps what agents write beside the checkout as true as the checkout: the notes of an attempt whose work is put back are put back with it, and
// no session removes from the progress log what others wrote there. What the files were before an attempt is noted among the run's files.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { RUN_SCOPE } from "../../core/model.ts";
import { hasStoryTrees } from "../../core/query.ts";
import { readBounded, textIn } from "../../files/read.ts";
import { writeWhole } from "../../files/write.ts";
import type { Amendment, Keeper, UndoneAttempt } from "../../format.ts";
import { agentHome } from "./agent-home.ts";

/** Path → what was in it; null: it was not there. */
type Noted = Readonly<Record<string, string | null>>;

const READING = { max: 1024 * 1024, oneName: true };
const SECTION = /^## .*$/gm;
/** Everybody may change this section. */
const PATTERNS = /^## codebase patterns\s*$/i;

export const notesKeeper: Keeper = {
	async before(c) {
		const noted: Noted = Object.fromEntries(filesOf(c).flatMap(asNoted));
		const file = notedFile(c);
		mkdirSync(dirname(file), { recursive: true });
		// If it is lost in a crash, nothing is put back.
		writeFileSync(file, JSON.stringify(noted));
		return null;
	},

	async after(c): Promise<Amendment> {
		const log = c.state.input["progress_file"];
		const was = log === undefined ? null : (notedBefore(c)[log] ?? null);
		if (log === undefined || was === null) return {};
		const found = readBounded(log, READING);
		// A folder or a FIFO in its place is somebody's doing that no text repairs.
		if ("problem" in found) return {};
		const now = "text" in found ? found.text : "";
		const lost = headings(was).filter((heading) => !PATTERNS.test(heading) && !headings(now).includes(heading));
		if (lost.length === 0 && (now.trim() !== "" || was.trim() === "")) return {};
		const known = headings(was);
		const added = now.split(/^(?=## )/m).filter((part) => !was.includes(part.trim()) && !known.includes(headings(part)[0] ?? ""));
		await writeWhole(log, `${[was.trimEnd(), ...added.map((part) => part.trim())].filter((part) => part !== "").join("\n\n")}\n`);
		return { remarks: [`it removed what others had written in the progress log (${log}): that was put back`] };
	},

	async undone(c) {
		// With several agents, others have written to the same files meanwhile.
		if (hasStoryTrees(c.state)) return;
		for (const [file, was] of Object.entries(notedBefore(c))) {
			const now = read(file);
			if (now === was) continue;
			const scope = c.scope === RUN_SCOPE ? "run" : c.scope;
			if (now !== null) await writeWhole(join(c.sharedDir, "put_aside", `${scope}-${c.step.id}-${c.attempt}`, basename(file)), now);
			if (was === null) rmSync(file, { force: true });
			else await writeWhole(file, was);
		}
	},
};

/** The log of the run, and the notes of the agent in its own folder. */
function filesOf({ state, role, repository }: UndoneAttempt): string[] {
	const log = state.input["progress_file"];
	const home = state.definition.roles[role]?.files === undefined ? null : agentHome(repository.root, state.definition.name, role);
	return [...(log === undefined ? [] : [log]), ...(home === null ? [] : [join(home, "AGENTS.md"), join(home, "MEMORY.md")])];
}

/** A file that cannot be read is left alone. */
function asNoted(file: string): (readonly [string, string | null])[] {
	const found = readBounded(file, READING);
	return "text" in found ? [[file, found.text]] : "missing" in found ? [[file, null]] : [];
}

const notedFile = ({ sharedDir, scope, step, attempt }: UndoneAttempt): string =>
	join(sharedDir, "notes_before", `${scope === RUN_SCOPE ? "run" : scope}-${step.id}-${attempt}.json`);

/** Nothing, if nobody noted anything: a run of an earlier version, or one that died. */
function notedBefore(c: UndoneAttempt): Noted {
	try {
		const noted: unknown = JSON.parse(textIn(notedFile(c), { max: 8 * READING.max }) ?? "{}");
		const mine = new Set(filesOf(c));
		const isText = (text: unknown): text is string | null => text === null || typeof text === "string";
		return typeof noted === "object" && noted !== null
			? Object.fromEntries(
					Object.entries(noted).filter((entry): entry is [string, string | null] => mine.has(entry[0]) && isText(entry[1])),
				)
			: {};
	} catch {
		return {};
	}
}

const read = (file: string): string | null => textIn(file, READING);

const headings = (text: string): string[] => [...text.matchAll(SECTION)].map(([line]) => line.trim());
