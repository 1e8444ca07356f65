// Notifies a person who walked away: by the command and the webhook of pawl.yml, and at the address that the workflow names if
// pawl.yml allows it. A notification that fails is a warning, never a reason to stop.
import { spawn } from "node:child_process";
import type { Config } from "../../config.ts";
import { RUN_SCOPE } from "../../core/model.ts";
import type { Notice } from "../../engine/parts.ts";

const TIMEOUT_MS = 10_000;

/** `asked`: the address that a workflow names. Workflows come from elsewhere, and a notification reveals what somebody works on. */
export function notifier(
	{ notify: { command, webhook, workflow } }: Config,
	env: Readonly<Record<string, string>>,
	repository: string,
	asked: string | null = null,
): (notice: Notice) => Promise<void> {
	const addresses = [
		...(webhook === null ? [] : [{ url: webhook, name: "notify.webhook" }]),
		...(workflow && asked !== null && asked !== webhook ? [{ url: asked, name: "the workflow's notifications.url" }] : []),
	];
	return async (given) => {
		const notice = { ...given, repository, text: textOf(given, repository) };
		const told = addresses.map(({ url, name }) => byWebhook(url, name, notice));
		await Promise.all([command === null ? null : byCommand(command, env, notice), ...told]);
	};
}

/** The reader is elsewhere, so it names the run and the repository, and says how to answer if the run waits for a person. */
function textOf({ run, about, text, scope, step, asks }: Notice, repository: string): string {
	const where = `run ${run} in ${repository}`;
	if (about !== "waiting") return `${text}\n${where}`;
	const name = step === undefined ? "" : ` ${scope === RUN_SCOPE ? step : `${scope}/${step}`}`;
	if (asks)
		return `${text}\n${where} waits for an answer\nanswer with: pawl answer ${run} "…" --resume${name === "" ? "" : ` --step${name}`}`;
	return `${text}\n${where} waits for a person\nanswer with: pawl approve ${run}${name} --resume, or pawl reject ${run}${name} --resume --reason "…"`;
}

/** The text goes to stdin and the rest into the environment, so that nothing becomes part of a command line. */
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

async function byWebhook(url: string, name: string, notice: Notice): Promise<void> {
	const answer = await fetch(url, {
		method: "POST",
		headers: { "content-type": "application/json" },
		body: JSON.stringify(notice),
		signal: AbortSignal.timeout(TIMEOUT_MS),
		redirect: "error",
	});
	if (!answer.ok) throw new Error(`${name} answered ${answer.status}`);
}
