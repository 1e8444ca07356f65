// What went wrong, said until the person has read it.
import { signal } from "@preact/signals";
import { ApiError } from "../api/api-error.ts";

export interface Alert {
	readonly id: number;
	readonly text: string;
}

export const alerts = signal<readonly Alert[]>([]);
let last = 0;

export function alertOf(text: string): void {
	last += 1;
	alerts.value = [...alerts.peek().filter((one) => one.text !== text), { id: last, text }].slice(-3);
}

export function dismiss(id: number): void {
	alerts.value = alerts.peek().filter((one) => one.id !== id);
}

/** False if there is none. */
export function dismissLast(): boolean {
	const last = alerts.peek().at(-1);
	if (last !== undefined) dismiss(last.id);
	return last !== undefined;
}

/** The connection itself tells when nobody answers or the token is another. */
export function failed(error: unknown): void {
	if (error instanceof ApiError && (error.status === 0 || error.status === 401)) return;
	if (error instanceof DOMException && error.name === "AbortError") return;
	alertOf(error instanceof Error ? error.message : String(error));
}
