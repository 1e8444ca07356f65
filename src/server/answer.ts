// How the server answers: headers of every answer, JSON, and the one place where a refusal becomes an HTTP status.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Refusal, RefusalCode } from "../runs/refusal.ts";

/** The HTTP status of each code. */
export const STATUS = {
	invalid: 400,
	unauthorized: 401,
	refused: 403,
	not_found: 404,
	wrong_method: 405,
	conflict: 409,
	too_large: 413,
	wrong_type: 415,
	internal: 500,
	unavailable: 503,
} as const;

export type ErrorCode = keyof typeof STATUS;

/** An answer that is an error. */
export class HttpError extends Error {
	override name = "HttpError";
	readonly code: ErrorCode;
	/** For `wrong_method`: the methods that the route has. */
	readonly allow: readonly string[];

	constructor(code: ErrorCode, message: string, allow: readonly string[] = []) {
		super(message);
		this.code = code;
		this.allow = allow;
	}
}

/** `refused` of HTTP is about the caller; what a run does not allow now is a conflict. */
const CODE_OF: Readonly<Record<RefusalCode, ErrorCode>> = {
	invalid: "invalid",
	not_found: "not_found",
	refused: "conflict",
	conflict: "conflict",
	unavailable: "unavailable",
	internal: "internal",
};

export const fromRefusal = ({ code, message }: Refusal): HttpError => new HttpError(CODE_OF[code], message);

/** On every answer. */
export const COMMON: Readonly<Record<string, string>> = {
	"X-Content-Type-Options": "nosniff",
	"Referrer-Policy": "no-referrer",
	"Cross-Origin-Resource-Policy": "same-origin",
};

export const API: Readonly<Record<string, string>> = { ...COMMON, "Cache-Control": "no-store" };

export function sendJson(res: ServerResponse, status: number, value: unknown, more: Readonly<Record<string, string>> = {}): void {
	const text = Buffer.from(JSON.stringify(value));
	res.writeHead(status, { ...API, "Content-Type": "application/json; charset=utf-8", "Content-Length": String(text.length), ...more });
	res.end(text);
}

/** The rest of a body that nobody read is thrown away: the connection ends with the answer. */
export function sendError(req: IncomingMessage, res: ServerResponse, { code, message, allow }: HttpError): void {
	if (res.headersSent) return void res.destroy();
	const unread = req.method !== "GET" && req.method !== "HEAD" && !req.readableEnded;
	if (unread) linger(req.socket);
	sendJson(
		res,
		STATUS[code],
		{ error: { code, message } },
		{ ...(allow.length === 0 ? {} : { Allow: allow.join(", ") }), ...(unread ? { Connection: "close" } : {}) },
	);
}

const LINGER_MS = 1_000;

/** A connection that is closed while its client still sends is reset, and the client may never see the answer. So only our side ends; the client has a moment to read. */
function linger(socket: Socket): void {
	socket.destroySoon = () => {
		socket.end();
		setTimeout(() => socket.destroy(), LINGER_MS).unref();
	};
}
