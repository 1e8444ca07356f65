// The body of a POST: one small JSON object with known keys.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { z } from "zod";
import { readForeignJson } from "../core/text/foreign-json.ts";
import { HttpError } from "./answer.ts";

const MOST = 64 * 1024;

export async function readBody(req: IncomingMessage, res: ServerResponse): Promise<unknown> {
	const [type = "", ...parameters] = (req.headers["content-type"] ?? "").split(";").map((part) => part.trim().toLowerCase());
	if (type !== "application/json" || parameters.some((one) => one.startsWith("charset=") && !/^charset="?utf-8"?$/.test(one)))
		throw new HttpError("wrong_type", "the body must be JSON in UTF-8: Content-Type: application/json");
	if (Number(req.headers["content-length"] ?? 0) > MOST) throw tooLarge();
	// The client asked first; now it may send.
	if (req.headers.expect !== undefined) res.writeContinue();
	const parts: Buffer[] = [];
	let length = 0;
	// Stays open when it is too long: the answer has to get through.
	for await (const part of req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
		length += part.length;
		if (length > MOST) throw tooLarge();
		parts.push(part);
	}
	return parse(Buffer.concat(parts));
}

const tooLarge = (): HttpError => new HttpError("too_large", `the body may have at most ${MOST} bytes`);

function parse(bytes: Buffer): unknown {
	let text: string;
	try {
		text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
	} catch {
		throw new HttpError("invalid", "the body is not JSON");
	}
	const read = readForeignJson(text);
	if (!read.ok) throw new HttpError("invalid", "the body is not JSON");
	const { value } = read;
	if (typeof value !== "object" || value === null || Array.isArray(value))
		throw new HttpError("invalid", "the body must be one JSON object");
	return value;
}

/** Says every mistake, with its key. */
export function checked<T>(schema: z.ZodType<T>, body: unknown): T {
	const read = schema.safeParse(body);
	if (read.success) return read.data;
	throw new HttpError(
		"invalid",
		read.error.issues.map(({ path, message }) => (path.length === 0 ? message : `${path.join(".")}: ${message}`)).join("; "),
	);
}
