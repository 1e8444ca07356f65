// Checks: commands of the repository's configuration that the engine runs itself. Their exit codes are evidence; what an
// agent says about them is not.
import type { CheckResult } from "../../core/input.ts";
import type { Sandbox } from "../../core/sandbox/sandbox.ts";
import { redactor, runShell, sweep, sweepNow } from "../../process.ts";

const TAIL = 16_384;
const TIMEOUT_MS = 30 * 60_000;

export interface CheckSettings {
	readonly cwd: string;
	readonly env: Readonly<Record<string, string>>;
	readonly mark: string;
	readonly isolate: boolean;
	readonly sandbox?: Sandbox | undefined;
	readonly signal: AbortSignal;
	/** Removed from its output, which goes into the journal, into prompts and into files of the repository. */
	readonly secrets: readonly string[];
	readonly timeoutMs?: number;
	/** How many bytes of the end of its output are kept. */
	readonly keepBytes?: number;
}

/** How the engine runs commands, and ends whatever an attempt left running. */
export interface Processes {
	runCheck(name: string, command: string, settings: CheckSettings): Promise<CheckResult>;
	/** Ends every process that carries this mark. */
	sweep(mark: string): Promise<unknown>;
	/** The same, synchronously, for a process that exits now. */
	sweepNow(mark: string): void;
}

export const realProcesses: Processes = { runCheck, sweep, sweepNow };

export async function runCheck(name: string, command: string, settings: CheckSettings): Promise<CheckResult> {
	const most = settings.keepBytes ?? TAIL;
	const kept: Buffer[] = [];
	let length = 0;
	const keep = (chunk: Buffer) => {
		kept.push(chunk);
		length += chunk.length;
		for (let [first] = kept; first !== undefined && length - first.length >= most; [first] = kept) {
			length -= first.length;
			kept.shift();
		}
	};
	const streams = [redactor(settings.secrets), redactor(settings.secrets)] as const;
	const end = await runShell(command, {
		cwd: settings.cwd,
		env: { ...settings.env },
		mark: settings.mark,
		isolate: settings.isolate,
		sandbox: settings.sandbox ?? null,
		timeoutMs: settings.timeoutMs ?? TIMEOUT_MS,
		signal: settings.signal,
		onStdout: (chunk) => keep(streams[0].push(chunk)),
		onStderr: (chunk) => keep(streams[1].push(chunk)),
	});
	for (const stream of streams) keep(stream.flush());
	const said = Buffer.concat(kept).subarray(-most).toString("utf8");
	const exitCode = end.reason === "exit" ? (end.code ?? 128) : null;
	return {
		name,
		command,
		exitCode,
		output: end.reason === "exit" ? said : `${said}\n(${end.reason}${end.error === null ? "" : `: ${end.error}`})`,
	};
}
