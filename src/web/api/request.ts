// Questions to the API, and actions. Every refusal carries the server's sentence.
import { parsePlain } from "../plain.ts";
import { ApiError } from "./api-error.ts";
import { token, tokenRefused } from "./session.ts";

async function ask(method: string, path: string, body: unknown, signal: AbortSignal | undefined): Promise<unknown> {
	const used = token.value;
	if (used === null) throw new ApiError(401, "unauthorized", "this tab has no token");
	const answer = await fetch(`/api/v1/${path}`, {
		method,
		cache: "no-store",
		headers: { Authorization: `Bearer ${used}`, ...(body === undefined ? {} : { "Content-Type": "application/json" }) },
		...(body === undefined ? {} : { body: JSON.stringify(body) }),
		...(signal === undefined ? {} : { signal }),
	}).catch((error: unknown) => {
		if (signal?.aborted) throw error;
		throw new ApiError(0, "unavailable", "pawl ui does not answer: is it still running?");
	});
	if (answer.status === 401) tokenRefused(used);
	const said = await read(answer, path);
	if (!answer.ok) throw errorOf(answer.status, said);
	return said;
}

/** The records of a log stay as they are: whoever shows them reads the colours. */
async function read(answer: Response, path: string): Promise<unknown> {
	try {
		const json = await answer.text();
		return /\/log\?/.test(path) ? JSON.parse(json) : parsePlain(json);
	} catch {
		return null;
	}
}

function errorOf(status: number, said: unknown): ApiError {
	const { code, message } = ((said as { readonly error?: unknown } | null)?.error ?? {}) as { readonly [key: string]: unknown };
	return new ApiError(
		status,
		typeof code === "string" ? code : "internal",
		typeof message === "string" ? message : `the server answered ${status}`,
	);
}

export const get = async <T>(path: string, signal?: AbortSignal): Promise<T> => (await ask("GET", path, undefined, signal)) as T;

export const post = async <T>(path: string, body: object): Promise<T> => (await ask("POST", path, body, undefined)) as T;

/** A path of the API; ids come from people and agents. */
export const at = (...parts: readonly string[]): string => parts.map(encodeURIComponent).join("/");
