// Writes the log of an attempt that pawl did not start, in the same form as every other log.
import { type BroughtLog, NO_USAGE } from "../../agent.ts";
import { redactor } from "../../process.ts";
import { openLog } from "./log.ts";

/** Returns why the log could not be written, or null. */
export function keepBrought(file: string, { attempt, step, role, output, result, error, secrets, at, logMax }: BroughtLog): string | null {
	const log = openLog(file, logMax);
	if ("problem" in log) return log.problem;
	const time = new Date(at).toISOString();
	log.record({ type: "attempt", attempt, step, role, command: null, at: time });
	const redact = redactor(secrets);
	log.write("stdout", redact.push(Buffer.from(output)));
	log.write("stdout", redact.flush());
	log.end({ type: "end", attempt, result, error, exitCode: null, signal: null, usage: NO_USAGE, costFrom: "unknown", at: time });
	return null;
}
