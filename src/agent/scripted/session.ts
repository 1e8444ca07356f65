// One call to the agent `scripted`, and its log: JSON lines without secrets. Each line counts as a sign of life.
import { appendFileSync } from "node:fs";
import { type AgentRequest, NO_USAGE } from "../../agent.ts";
import type { Usage } from "../../core/model.ts";
import { redactor } from "../../process.ts";
import type { Call } from "./script.ts";
import { type Watch, watchCall } from "./watch.ts";

export interface Session {
	readonly request: AgentRequest;
	readonly call: Call;
	readonly watch: Watch;
	/** Rejects when the log cannot be written. */
	readonly log: (line: Readonly<Record<string, unknown>>) => Promise<void>;
	/** The parts of the final message. */
	readonly said: string[];
	usage: Usage;
}

export function openSession(request: AgentRequest, call: Call, cancel: AbortSignal): Session {
	const watch = watchCall(request, cancel);
	const secrets = redactor(request.secrets);
	const clean = (_: string, value: unknown): unknown =>
		typeof value === "string" ? Buffer.concat([secrets.push(Buffer.from(value)), secrets.flush()]).toString() : value;
	let bytes = 0;
	const session: Session = {
		request,
		call,
		watch,
		said: [],
		usage: NO_USAGE,
		log: async (line) => {
			// Secrets are removed value by value: one with a quote in it could otherwise break the JSON.
			const text = `${JSON.stringify(line, clean)}\n`;
			appendFileSync(request.logFile, text);
			bytes += Buffer.byteLength(text);
			watch.active();
			request.onProgress?.({ bytes, usage: session.usage });
		},
	};
	return session;
}
