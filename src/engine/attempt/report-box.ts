// The report box of one attempt: a folder outside of the worktree in which `pawl mcp`, started by the agent, leaves the agent's report.
// Only a process with the attempt's token can use it, and only while the attempt runs: the folder is removed when it ends.
import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { mkdirSync, rmdirSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { GivenReport } from "../../core/report/given.ts";
import { readBounded } from "../../files/read.ts";
import { writeWhole } from "../../files/write.ts";

export const INBOX = "PAWL_INBOX";
export const INBOX_TOKEN = "PAWL_INBOX_TOKEN";

const READING = { max: 1024 * 1024, oneName: true };
const folderOf = ({ sharedDir, scope, step, attempt }: AttemptKey): string => join(sharedDir, "inbox", `${scope}-${step}-${attempt}`);

type AttemptKey = Pick<Ticket, "sharedDir" | "scope" | "step" | "attempt">;

/** Whose box it is, and where to find its run. */
export interface Ticket {
	readonly run: string;
	readonly scope: string;
	readonly step: string;
	readonly attempt: number;
	readonly role: string;
	readonly sharedDir: string;
	/** The file of the store. */
	readonly database: string;
}

export interface ReportBox {
	/** For the agent's process, and for nothing else of the attempt. */
	readonly env: Readonly<Record<string, string>>;
	readonly token: string;
	/** Closes the box and returns the report; null if there is none, or none that can be read. Never rejects. */
	close(): Promise<GivenReport | null>;
}

/** Rejects if the folder cannot be made. */
export async function openReportBox(ticket: Ticket): Promise<ReportBox> {
	const folder = folderOf(ticket);
	try {
		mkdirSync(folder, { mode: 0o700 });
	} catch {
		// The first of the run, or something is in the way.
		rmSync(folder, { recursive: true, force: true });
		mkdirSync(folder, { recursive: true, mode: 0o700 });
	}
	const token = randomBytes(24).toString("base64url");
	// Other processes of the user can read this file, so it holds a hash to check the token against, not the token.
	writeFileSync(join(folder, "inbox.json"), JSON.stringify({ ...ticket, key: keyOf(token) }), { mode: 0o600 });
	return {
		env: { [INBOX]: folder, [INBOX_TOKEN]: token },
		token,
		close: async () => {
			try {
				// First, so that no report arrives while this one is read.
				removeBy(unlinkSync, join(folder, "inbox.json"));
				const report = readReport(folder, token);
				removeBy(rmdirSync, folder);
				return report;
			} catch {
				// The agent tampered with the folder, so nothing in it counts as a report.
				return null;
			}
		},
	};
}

/** The quick way, or else whatever it takes. */
function removeBy(quick: (path: string) => void, path: string): void {
	try {
		quick(path);
	} catch {
		rmSync(path, { recursive: true, force: true });
	}
}

/** Removes a box that a killed engine left open. Only this one: the folder around it may hold others. */
export function removeReportBox(attempt: AttemptKey): void {
	try {
		rmSync(folderOf(attempt), { recursive: true, force: true });
	} catch {
		// The agent tampered with it.
	}
}

/** The agent's side: whose box these variables open, or why they open none. Asked before each use, as the attempt may have ended. */
export async function enterReportBox(env: Readonly<Record<string, string | undefined>>): Promise<Ticket | { readonly problem: string }> {
	const folder = env[INBOX] ?? "";
	const found = readBounded(join(folder, "inbox.json"), READING);
	if (folder === "" || "missing" in found) return { problem: "this attempt has ended: nothing that it says counts any more" };
	if ("problem" in found) return { problem: `the report box of this attempt cannot be read: ${found.problem}` };
	try {
		const { key, ...ticket } = JSON.parse(found.text) as Ticket & { readonly key: string };
		return same(key, keyOf(env[INBOX_TOKEN] ?? "")) ? ticket : { problem: "this is the report box of another attempt" };
	} catch {
		return { problem: "the report box of this attempt cannot be read" };
	}
}

/** A later report replaces an earlier one. */
export function putReport(env: Readonly<Record<string, string | undefined>>, report: GivenReport): Promise<void> {
	const seal = sealOf(report, env[INBOX_TOKEN] ?? "");
	return writeWhole(join(env[INBOX] ?? "", "report.json"), JSON.stringify({ report, seal }));
}

function readReport(folder: string, token: string): GivenReport | null {
	const found = readBounded(join(folder, "report.json"), READING);
	if (!("text" in found)) return null;
	try {
		const { report, seal } = JSON.parse(found.text) as { readonly report: GivenReport; readonly seal: string };
		const { signal, summary, fields } = report;
		const said: GivenReport = { signal, summary, fields };
		if (!same(seal, sealOf(said, token)) || typeof summary !== "string") return null;
		if (signal !== null && typeof signal !== "string") return null;
		return Object.values(fields).every((value) => typeof value === "string") ? said : null;
	} catch {
		return null;
	}
}

const keyOf = (token: string): string => createHash("sha256").update(token).digest("hex");

/** Another agent of the same user could write to the folder; without the token it cannot seal what it writes. */
function sealOf({ signal, summary, fields }: GivenReport, token: string): string {
	return createHmac("sha256", token)
		.update(JSON.stringify([signal, summary, Object.entries(fields)]))
		.digest("hex");
}

function same(a: unknown, b: string): boolean {
	return typeof a === "string" && a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}
