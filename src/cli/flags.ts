// The values of flags that several commands take.
import { InvalidArgumentError } from "commander";
import { parseDuration } from "../core/duration.ts";

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
