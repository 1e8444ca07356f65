// The terminal of `pawl init`: asks one question at a time, and ends a check with all of its processes on Ctrl-C.
import { createInterface } from "node:readline/promises";
import { tryCheck } from "../../runs/init/try-check.ts";
import type { Context } from "../context.ts";
import { fold } from "../text/columns.ts";
import { Left, type Talk } from "./talk.ts";

export function openTalk(c: Context, root: string): Talk {
	return {
		say: (line) => c.err(`${fold(line, c.width, line.length - line.trimStart().length).join("\n")}\n`),
		ask: async (question, suggested) => {
			// One for each question: between them the terminal is in its usual state, for the checks and for Ctrl-C.
			const lines = createInterface({ input: process.stdin, output: process.stderr });
			const gone = new Promise<null>((resolve) => lines.once("close", () => resolve(null)));
			try {
				const answer = await Promise.race([lines.question(`${question} [${suggested}]: `), gone]);
				if (answer === null) throw new Left();
				return answer.trim();
			} finally {
				lines.close();
			}
		},
		tryCheck: async (name, command) => {
			const interrupt = new AbortController();
			const stop = () => interrupt.abort();
			process.once("SIGINT", stop).once("SIGTERM", stop);
			try {
				const tried = await tryCheck(c, root, name, command, interrupt.signal);
				if (interrupt.signal.aborted) throw new Left();
				return tried;
			} finally {
				process.off("SIGINT", stop).off("SIGTERM", stop);
			}
		},
	};
}
