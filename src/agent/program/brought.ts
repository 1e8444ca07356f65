// Writes the log of an attempt that pawl did not start, in the same form as every other log.
import { type BroughtLog, type KeptBrought, NO_USAGE } from "../../agent.ts";
import { redactor } from "../../process.ts";
import { openLog } from "./log.ts";

const PIECE = 64 * 1024;

export function keepBrought(file: string, { attempt, step, role, output, result, error, secrets, at, logMax }: BroughtLog): KeptBrought {
	const log = openLog(file, logMax);
	if ("problem" in log) return { problem: log.problem };
	const time = new Date(at).toISOString();
	log.record({ type: "attempt", attempt, step, role, command: null, at: time });
	const redact = redactor(secrets);
	const bytes = Buffer.from(output);
	// In pieces, as they come from a program: the log keeps its bound between two of them.
	for (let from = 0; from < bytes.length; from += PIECE) log.write("stdout", redact.push(bytes.subarray(from, from + PIECE)));
	log.write("stdout", redact.flush());
	const cut = log.end({
		type: "end",
		attempt,
		result,
		error,
		exitCode: null,
		signal: null,
		usage: NO_USAGE,
		costFrom: "unknown",
		at: time,
	});
	return { cut };
}
