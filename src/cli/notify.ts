// Telling a person who walked away: the command and the webhook of pawl.yml. A message that cannot be delivered is a
// warning, never a reason to stop.
import { spawn } from "node:child_process";
import type { Config } from "../config.ts";
import type { Notice } from "../engine/parts.ts";

const TIMEOUT_MS = 10_000;

export function notifier(config: Config, env: Readonly<Record<string, string>>): (notice: Notice) => Promise<void> {
	const { command, webhook } = config.notify;
	return async (notice) => {
		await Promise.all([command === null ? null : byCommand(command, env, notice), webhook === null ? null : byWebhook(webhook, notice)]);
	};
}

/** The text goes to stdin and the rest into the environment: nothing of it becomes part of a command line. */
function byCommand(command: string, env: Readonly<Record<string, string>>, notice: Notice): Promise<void> {
	return new Promise((resolve, reject) => {
		const child = spawn("/bin/sh", ["-c", command], {
			env: { ...env, PAWL_RUN_ID: notice.run, PAWL_NOTICE: notice.about },
			stdio: ["pipe", "ignore", "ignore"],
			timeout: TIMEOUT_MS,
			killSignal: "SIGKILL",
		});
		child.on("error", reject);
		child.on("close", (code, signal) =>
			code === 0 ? resolve() : reject(new Error(`notify.command ${signal ? `was ended by ${signal}` : `exited ${code}`}`)),
		);
		child.stdin.on("error", () => {});
		child.stdin.end(`${notice.text}\n`);
	});
}

async function byWebhook(url: string, notice: Notice): Promise<void> {
	const answer = await fetch(url, {
		method: "POST",
		headers: { "content-type": "application/json" },
		body: JSON.stringify(notice),
		signal: AbortSignal.timeout(TIMEOUT_MS),
		redirect: "error",
	});
	if (!answer.ok) throw new Error(`notify.webhook answered ${answer.status}`);
}
