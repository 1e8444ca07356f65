// Turns an HTTP status and a message into a typed failure, which decides whether and when to try again.
import type { Failure } from "../../core/definition.ts";
import type { StreamError } from "./event.ts";

// Out of money. Looked for before all statuses: the CLIs report it as 400, 401, 402, 403 and 429. A quota that comes back by itself is a
// rate limit, even where its message speaks of billing as Gemini's does.
const CREDIT =
	/\bcredit balance (?:is )?too low|\binsufficient[ _](?:credits?|balance|funds|quota)\b|\bout of credits?\b|\brequires more credits\b|\bcredits? (?:are|is|have been|has been) (?:depleted|exhausted)|\bpayment required\b|\bno payment method\b|\bbilling[ _](?:error|disabled|hard[ _]limit|is not enabled|not active)|\brequires billing to be enabled|\baccount is not active, please check your billing|\bspend(?:ing)? (?:cap|limit)\b|\bspecified API usage limits|\bquota\b.{0,40}\bcheck your plan and billing/is;
const COMES_BACK = /quota exceeded for metric|\b(?:retry|try again) (?:in|after|at)\b/i;

export const isOutOfCredit = (message: string): boolean => CREDIT.test(message) && !COMES_BACK.test(message);

const RULES: readonly { readonly result: Failure; readonly status: readonly number[]; readonly message: RegExp }[] = [
	{
		result: "rate_limited",
		status: [429],
		message:
			/rate.?limit|too many requests|usage limit|quota (?:exhausted|exceeded)|exceeded your (?:current )?quota|hit your .{0,40}limit|RESOURCE_EXHAUSTED/i,
	},
	{
		result: "auth",
		status: [401, 403],
		message: /unauthori[sz]ed|authentication|UNAUTHENTICATED|invalid (?:x-)?api.?key|not logged in|please (?:run )?\/?log ?in\b/i,
	},
	// Failures of the server itself: waiting helps, and they say nothing about the work.
	{
		result: "overloaded",
		status: [500, 502, 503, 504, 529],
		message: /overloaded|service unavailable|experiencing high demand|model is at capacity/i,
	},
	{ result: "context_too_long", status: [413], message: /prompt is too long|context (?:length|window)|maximum context|ContextOverflow/i },
	// A broken connection or answer. Last, because some of these messages also name a better reason. Worded as the CLIs word it, and
	// mostly anchored, so that an agent's own words about connections do not match. A server that cannot be reached at all is not
	// included: the address may be wrong.
	{
		result: "overloaded",
		status: [],
		message:
			/^(?:Reconnecting\.{3} \d+\/\d+ \()?stream disconnected|^\[?API Error: (?:Connection (?:lost|dropped|closed|reset)|Server error mid-|terminated\])|^Model stream ended without a finish reason|^Request timed out|^Connection reset by (?:server|peer)|\bsocket connection was closed|\bsocket hang up\b|\bECONNRESET\b/i,
	},
];

// Only where the text says that a status follows: a bare 429 could be anything.
const STATUS = /(?:status(?: code)?:?|"code":|API Error:|rejected \()\s*(\d{3})\b/i;

export function failure(message: string, status: number | null, retryAt: number | null, now: number): StreamError {
	const code = status ?? Number(STATUS.exec(message)?.[1] ?? 0);
	if (code === 402 || isOutOfCredit(message)) return { result: "out_of_credit", message: oneLine(message), retryAt: null };
	const rule = RULES.find((each) => each.status.includes(code)) ?? RULES.find((each) => each.message.test(message));
	const result = rule?.result ?? "agent_error";
	const waits = result === "rate_limited" || result === "overloaded";
	return { result, message: oneLine(message), retryAt: waits ? (retryAt ?? waitIn(message, now)) : null };
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Reads "try again in 1 hour 20 minutes" or "retry after 30s" as a time. */
function waitIn(message: string, now: number): number | null {
	const span = /(?:retry|try again|resets?|available)\s+(?:in|after)\s+((?:\d+(?:\.\d+)?\s*[a-z]+[\s,]*(?:and\s+)?)+)/i.exec(message)?.[1];
	if (span === undefined) return null;
	let total = 0;
	for (const [, amount, unit] of span.matchAll(/(\d+(?:\.\d+)?)\s*(ms|milli|s|m|h|d)/gi)) {
		total += Number(amount) * (UNITS[(unit ?? "").toLowerCase().replace("milli", "ms")] ?? 0);
	}
	return total > 0 ? now + Math.round(total) : null;
}

/** The first line that is not empty; for a JSON error, its message. */
export function oneLine(message: string): string {
	const inner = /"message"\s*:\s*"((?:[^"\\]|\\.)*)"/.exec(message)?.[1];
	const text = inner === undefined ? message : unescaped(inner);
	const line = text.split("\n").find((each) => each.trim() !== "") ?? "";
	return line.trim().slice(0, 500);
}

function unescaped(text: string): string {
	try {
		return String(JSON.parse(`"${text}"`));
	} catch {
		return text;
	}
}
