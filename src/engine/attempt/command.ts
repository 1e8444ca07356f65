// A step that is a command of the repository's configuration. Its exit code is evidence.
import type { Outcome } from "../../core/input.ts";
import { own } from "../../core/query.ts";
import { realProcesses } from "./checks.ts";
import { type LiveAttempt, NOTHING } from "./live-attempt.ts";

const NOTES_BYTES = 2000;

/** null: it was cancelled. */
export async function runCommand(a: LiveAttempt): Promise<Outcome | null> {
	const name = a.type.command ?? "";
	const command = own(a.parts.checks, name);
	if (command === undefined) return { ...NOTHING, signal: "agent_error", error: `there is no command ${name} in pawl.yml` };
	const { isolate, secrets, confine, processes = realProcesses } = a.parts;
	const sandbox = await confine?.(a.workspace.path, "check");
	const env = { ...a.parts.env, ...a.workspace.sessionEnv(a.point) };
	const how = { cwd: a.workspace.path, env, mark: a.mark, isolate, sandbox, secrets, signal: a.signal };
	const result = await processes.runCheck(name, command, how);
	if (a.signal.aborted) return null;
	return { ...NOTHING, signal: "done", notes: result.output.slice(-NOTES_BYTES), checks: [result] };
}
