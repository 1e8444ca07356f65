// G-17: reports are read as people write them, and the same everywhere.
import assert from "node:assert/strict";
import type { Reply } from "../../src/engine/testing/cast.suite.ts";
import { alsoIn } from "./also-in.ts";
import { walk } from "./walk.ts";

const KEY = /^([A-Z][A-Z_]+):/gm;
const PROMISE = /<promise>.*<\/promise>/;

/** As models do it: some words before it, keys in bold, a friendly sentence after it. */
const chatty = (text: string): string =>
	`Sure! I looked at everything you asked for, and here is my report.\n\n${text.replaceAll(KEY, "**$1:**").replace(PROMISE, "**$&**")}\n\nLet me know if there is anything else.`;
/** All of it in a fence. */
const fenced = (text: string): string => `Here is my report:\n\n\`\`\`\n${text.trim()}\n\`\`\``;

const changed = (said: Reply, change: (text: string) => string): Reply => {
	if (said === undefined) return said;
	return typeof said === "string" ? change(said) : said.text === undefined ? said : { ...said, text: change(said.text) };
};

walk("G-17 reports with chatter, in bold and in fences are understood", () => {
	let sessions = 0;
	return {
		play: async (_, usual) => changed(await usual(), ++sessions % 2 === 0 ? chatty : fenced),
		holds: async (h, state) => {
			assert.equal(state.status, "completed", state.reason ?? "");
			const unread = (await h.events()).filter((e) => e.event === "route_taken" && e.signal === "unreadable");
			assert.deepEqual(unread, []);
		},
	};
});

alsoIn("G-17", "test/ralph/loop.test.ts");
