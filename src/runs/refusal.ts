// How the application says no. A function of `src/runs/` returns a value or throws a Refusal: one message for a person and one of a few
// codes for a program. A front end maps the codes to its own language (exit codes, HTTP) in one place.
import type { RunStatus } from "../core/model.ts";
import { type DiskTrouble, diskTroubleIn } from "../files/disk-trouble.ts";

export type RefusalCode =
	/** The request makes no sense, whatever the state of the run: a bad flag, a bad file, a bad configuration. */
	| "invalid"
	/** The request names something that does not exist. */
	| "not_found"
	/** Not possible in the current state: the run is over, the tree is not clean, another process drives the run. */
	| "refused"
	/** Another process was faster, so the caller's view is out of date. Looking again and trying again may help. */
	| "conflict"
	/** Possible in principle, but it was not done in time or is no longer there. */
	| "unavailable"
	/** Something that should never happen: an unreadable journal, a run that could not be created. */
	| "internal";

export class Refusal extends Error {
	override name = "Refusal";
	readonly code: RefusalCode;
	/** The status of the run if that is the reason, e.g. "failed" for a run that needs a retry. */
	readonly because: RunStatus | null;

	constructor(code: RefusalCode, message: string, because: RunStatus | null = null) {
		super(message);
		this.code = code;
		this.because = because;
	}
}

/** Turns anything thrown into a refusal: an error that no code of ours expects is `internal`. */
export function asRefusal(error: unknown): Refusal {
	if (error instanceof Refusal) return error;
	if (!(error instanceof Error)) return new Refusal("internal", String(error));
	if (error.name === "PersonNeeded") return caused(new Refusal("unavailable", error.message, "waiting"), error);
	if (error.name === "NewerPawl") return caused(new Refusal("refused", error.message), error);
	// Compares names, so that a front end that only looks at runs does not have to load the engine.
	const code =
		error.name === "RunConflict" ? "conflict" : ["WorkspaceError", "ProcessesUnknown"].includes(error.name) ? "unavailable" : "internal";
	return caused(new Refusal(code, advised(error)), error);
}

function caused(refusal: Refusal, error: Error): Refusal {
	refusal.cause = error;
	return refusal;
}

/** What to do about a disk that is full or broken, whoever noticed it: Node, SQLite or git. */
function advised(error: Error): string {
	const { code, path } = error as NodeJS.ErrnoException;
	if (code === "ENOSPC" || code === "EDQUOT")
		return `the disk is full${path === undefined ? "" : `: ${path} could not be written`} (${code}). Everything committed before is safe: make room, then continue with pawl resume`;
	const text = error.message.trimEnd();
	const trouble = text.includes("pawl resume") ? null : diskTroubleIn(text);
	return trouble === null ? error.message : `${text}\n${DISK_ADVICE[trouble]}`;
}

const DISK_ADVICE: Readonly<Record<DiskTrouble, string>> = {
	full: "The disk is full. Everything committed before is safe: make room, then continue with pawl resume",
	broken: "Check the disk, then continue with pawl resume",
	"maybe full": "Check that the disk is not full or broken, then continue with pawl resume",
};
