// Notifies a person who walked away: by the command and the webhook of pawl.yml, and at the address that the workflow names if
// pawl.yml allows it. A notification that fails is a warning, never a reason to stop.
import type { Config, NotifyCommand } from "../../config.ts";
import { RUN_SCOPE } from "../../core/model.ts";
import type { EngineParts, Notice } from "../../engine/parts.ts";
import { runShell } from "../../process.ts";

const TIMEOUT_MS = 10_000;
const GRACE_MS = 1000;

export interface NotifierParts {
	readonly env: Readonly<Record<string, string>>;
	/** Its root. */
	readonly repository: string;
	/** The address that a workflow names. Workflows come from elsewhere, and a notification reveals what somebody works on. */
	readonly asked: string | null;
	/** Of the run; absent: it has no sandbox. */
	readonly confine: EngineParts["confine"];
}

export function notifier({ notify: { command, webhook, workflow } }: Config, parts: NotifierParts): (notice: Notice) => Promise<void> {
	const { repository, asked } = parts;
	const addresses = [
		...(webhook === null ? [] : [{ url: webhook, name: "notify.webhook" }]),
		...(workflow && asked !== null && asked !== webhook ? [{ url: asked, name: "the workflow's notifications.url" }] : []),
	];
	return async (given) => {
		const notice = { ...given, repository, text: textOf(given, repository) };
		const told = addresses.map(({ url, name }) => byWebhook(url, name, notice));
		await Promise.all([command === null ? null : byCommand(command, parts, notice), ...told]);
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
async function byCommand({ line, from }: NotifyCommand, { env, repository, confine }: NotifierParts, notice: Notice): Promise<void> {
	const { reason, code, signal, error } = await runShell(line, {
		cwd: repository,
		env: { ...env, PAWL_RUN_ID: notice.run, PAWL_NOTICE: notice.about },
		stdin: `${notice.text}\n`,
		timeoutMs: TIMEOUT_MS,
		graceMs: GRACE_MS,
		sandbox: from === "user" ? null : ((await confine?.(repository, "notify")) ?? null),
	});
	if (reason === "exit" && code === 0) return;
	if (reason === "timeout") throw new Error(`notify.command did not end in ${TIMEOUT_MS / 1000} seconds`);
	throw new Error(`notify.command ${error !== null ? `failed: ${error}` : signal === null ? `exited ${code}` : `was ended by ${signal}`}`);
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
