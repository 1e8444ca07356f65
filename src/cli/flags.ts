// The values of flags that several commands take.
import { InvalidArgumentError } from "commander";
import { parseDuration } from "../core/duration.ts";
import { parseBytes } from "./text/bytes.ts";

export function count(text: string): number {
	const n = Number(text);
	if (!Number.isInteger(n) || n < 1 || n > 1_000_000) throw new InvalidArgumentError("it must be a whole number from 1 on.");
	return n;
}

export function dollars(text: string): number {
	const n = Number(text.replace(/^\$/, ""));
	if (text.trim() === "" || !Number.isFinite(n) || n <= 0) throw new InvalidArgumentError("it must be an amount such as 5 or 0.50.");
	return n;
}

export function duration(text: string): number {
	const ms = parseDuration(text);
	if (ms === null || ms <= 0) throw new InvalidArgumentError("it must be a duration such as 90s, 15m or 2h.");
	return ms;
}

/** Like a duration, and also whole days: longer than anything that a run waits for. */
export function age(text: string): number {
	const days = /^(\d{1,5})d$/.exec(text.trim())?.[1];
	const ms = days === undefined ? parseDuration(text) : Number(days) * 86_400_000;
	if (ms === null || ms <= 0) throw new InvalidArgumentError("it must be an age such as 30d or 12h.");
	return ms;
}

export function bytes(text: string): number {
	const n = parseBytes(text);
	if (n === null) throw new InvalidArgumentError("it must be a size such as 500MB or 2GB.");
	return n;
}
