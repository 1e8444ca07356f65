// All that agents said to have changed. Work that came back is described by several reports, and each says only what is new.
import type { Scope } from "../model.ts";

/** Under which a scope keeps them. */
export const SAID_CHANGES = "said_changes";

/** Each once, oldest first. */
export const saidChanges = ({ kept }: Scope): readonly string[] => [
	...new Set(kept.filter(({ name }) => name === SAID_CHANGES).map(({ text }) => text.trim())),
];

/** As one text; empty if a single report says all of it. */
export function allChanges(scope: Scope): string {
	const said = saidChanges(scope);
	return said.length < 2 ? "" : said.map((text, at) => `${at === 0 ? "At first" : "After it came back"}: ${text}`).join("\n\n");
}
