// Carries out one action of a script. An action that fails returns why; the call fails with it.

import { appendBelow, existsBelow, removeBelow, replaceBelow, writeBelow } from "./files.ts";
import { commitAll, runCommand } from "./processes.ts";
import { type Action, fill, fillAll } from "./script.ts";
import type { Session } from "./session.ts";
import { pause } from "./watch.ts";

type Doable = Exclude<Action, { kind: "fail" }>;

/** Returns why it failed, or null. An interrupted action counts as done: the watch knows what ended the call. */
export async function perform(action: Doable, session: Session): Promise<string | null> {
	const { request, call, watch, log } = session;
	const { sharedDir } = request.who;
	const filled = (text: string): string => fill(text, call);
	switch (action.kind) {
		case "write":
		case "append":
		case "shared":
		case "append_shared": {
			const root = action.kind === "write" || action.kind === "append" ? request.cwd : sharedDir;
			const put = action.kind === "write" || action.kind === "shared" ? writeBelow : appendBelow;
			const path = filled(action.value.path);
			await log({ type: "action", action: action.kind, path });
			return put(root, path, filled(action.value.content));
		}
		case "remove": {
			const path = filled(action.value.path);
			await log({ type: "action", action: "remove", path });
			return removeBelow(request.cwd, path);
		}
		case "edit": {
			const operations = fillAll(action.value, call);
			await log({ type: "action", action: "edit", operations });
			return replaceBelow(sharedDir, `workflow_edits/${call.story}.json`, `${JSON.stringify(operations, null, 2)}\n`);
		}
		case "commit":
			return commitAll(filled(action.value), session);
		case "run": {
			const command = action.value.map(filled);
			await log({ type: "action", action: "run", command });
			return runCommand(command, session);
		}
		case "wait":
			await log({ type: "action", action: "wait", ms: action.value });
			await pause(action.value, watch.signal);
			return null;
		case "wait_for":
			return waitFor(action.value, session);
		case "say": {
			const text = filled(action.value);
			session.said.push(text);
			await log({ type: "text", stream: "stdout", text });
			return null;
		}
		case "usage": {
			const { usage } = session;
			session.usage = {
				costUsd: sum(usage.costUsd, action.value.costUsd),
				inputTokens: sum(usage.inputTokens, action.value.inputTokens),
				outputTokens: sum(usage.outputTokens, action.value.outputTokens),
			};
			const { inputTokens, outputTokens, costUsd } = action.value;
			await log({ type: "usage", input_tokens: inputTokens, output_tokens: outputTokens, cost_usd: costUsd });
			return null;
		}
		case "hang":
			await log({ type: "action", action: "hang" });
			await pause(Number.POSITIVE_INFINITY, watch.signal);
			return null;
	}
}

const sum = (a: number | null, b: number | null): number | null => (a === null || b === null ? (a ?? b) : a + b);

// Polls, because a watcher needs folders that exist already.
const LOOK_EVERY_MS = 20;

async function waitFor(
	what: { readonly file?: string | undefined; readonly shared?: string | undefined },
	session: Session,
): Promise<string | null> {
	const { request, call, watch, log } = session;
	const root = what.file === undefined ? request.who.sharedDir : request.cwd;
	const path = fill(what.file ?? what.shared ?? "", call);
	await log({ type: "action", action: "wait_for", path });
	while (!watch.signal.aborted) {
		const found = await existsBelow(root, path);
		if ("problem" in found) return found.problem;
		if (found.exists) return null;
		await pause(LOOK_EVERY_MS, watch.signal);
	}
	return null;
}
