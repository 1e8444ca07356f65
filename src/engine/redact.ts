// Keeps secrets of the environment out of the journal: every text of an input is searched once, when it is fed.
import { createReadStream } from "node:fs";
import { writeInPieces } from "../files/write.ts";
import { redactor } from "../process.ts";

/** The same data with `***` for each secret. Keys are not changed. */
export function redacted<T>(value: T, secrets: readonly string[]): T {
	return secrets.length === 0 ? value : (walk(value, (text) => redactText(text, secrets)) as T);
}

export function redactText(text: string, secrets: readonly string[]): string {
	if (!secrets.some((secret) => text.includes(secret) || text.includes(JSON.stringify(secret).slice(1, -1)))) return text;
	const stream = redactor(secrets);
	return Buffer.concat([stream.push(Buffer.from(text)), stream.flush()]).toString("utf8");
}

/** The same for bytes of any kind. */
export function redactBytes(bytes: Buffer, secrets: readonly string[]): Buffer {
	if (!secrets.some((secret) => bytes.includes(secret))) return bytes;
	const stream = redactor(secrets);
	return Buffer.concat([stream.push(bytes), stream.flush()]);
}

/** Redacts a file of pawl's own that holds what agents wrote. */
export async function redactFile(file: string, secrets: readonly string[]): Promise<void> {
	if (secrets.length === 0) return;
	const stream = redactor(secrets);
	await writeInPieces(file, async (write) => {
		for await (const chunk of createReadStream(file)) write(stream.push(chunk as Buffer));
		write(stream.flush());
	});
}

function walk(value: unknown, change: (text: string) => string): unknown {
	if (typeof value === "string") return change(value);
	if (Array.isArray(value)) return value.map((one) => walk(one, change));
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, walk(one, change)]));
}
