// Sessions that a later attempt may continue: because the workflow says `session: continue`, or because the report of one cannot be read and is
// asked for in it. Knows where agents keep them in the run's folder, and removes those that nobody will continue.
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { KeptSession } from "../../agent.ts";
import type { Outcome } from "../../core/input.ts";
import { RUN_SCOPE } from "../../core/model.ts";
import { attemptOf, findScope, grammarOf, own } from "../../core/query.ts";
import { canBeUnreadable } from "../../core/report/grammar.ts";
import { strayFolder } from "../../files/way.ts";
import { askForEdits, askForReport } from "../../prompt/ask-for-report.ts";
import type { LiveAttempt } from "./live-attempt.ts";

/** undefined: the session is fresh and leaves nothing. */
export function sessionFor(a: LiveAttempt, agent: string): KeptSession | undefined {
	const grammar = grammarOf(a.state.definition, a.step, a.role);
	const continues = a.type.session === "continue";
	if (!continues && !canBeUnreadable(grammar) && !a.type.edits) return undefined;
	const folder = folderOf(a, agent);
	// An agent may have put a link there, which would lead what is kept, and what is removed, somewhere else.
	if (strayFolder(a.parts.sharedDir, join(folder, "x")) !== null) return undefined;
	const asks = attemptOf(a.step, a.attempt)?.asks;
	if (asks?.agent === agent)
		return {
			folder,
			continue: asks.session,
			message: asks.notes === undefined ? askForReport(grammar, asks.missing) : askForEdits(asks.missing, a.tools.edits.path(a.scope)),
		};
	if (continues) return { folder, continue: own(findScope(a.state, a.scope)?.sessions ?? {}, a.role) ?? null };
	forget(folder);
	return { folder, continue: null };
}

/** What the attempt kept is removed, unless the next one asks for its report. */
export function settleSession(a: LiveAttempt, agent: string, outcome: Outcome | null): void {
	if (a.type.session === "continue") return;
	const asked = attemptOf(a.step, a.attempt)?.asks !== undefined;
	// Whether edits are rejected is decided later.
	const isIncomplete = outcome?.signal === "unreadable" || outcome?.lacks !== undefined || outcome?.edits;
	if (isIncomplete && outcome?.resumable !== undefined && !asked) return;
	const folder = folderOf(a, agent);
	if (strayFolder(a.parts.sharedDir, join(folder, "x")) === null) forget(folder);
}

/** When a run is over nobody continues these; those of an engine that was killed are still there. */
export function forgetSessions(sharedDir: string): void {
	const folder = join(sharedDir, UNREAD);
	if (strayFolder(sharedDir, join(folder, "x")) === null) forget(folder);
}

const UNREAD = join("sessions", ".unread");

/** A role that goes on with its session has one folder in each story; any other session has one of its own. */
function folderOf({ parts, scope, step, role, type }: LiveAttempt, agent: string): string {
	const story = scope === RUN_SCOPE ? "run" : scope;
	const name = type.session === "continue" ? `${role}-${agent}` : `${step.id}-${role}-${agent}`;
	const kind = type.session === "continue" ? "sessions" : UNREAD;
	return join(parts.sharedDir, kind, story, name.replace(/[^\w.-]/g, "_"));
}

/** Never throws: what stays is removed with the run's folder. */
function forget(folder: string): void {
	try {
		rmSync(folder, { recursive: true, force: true });
	} catch {
		// Read-only folders of a tool; nothing reads them again.
	}
}
