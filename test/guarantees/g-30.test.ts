// G-30: the log of an attempt has a bound: its beginning and end are kept, and the cut is said.
import assert from "node:assert/strict";
import type { Reply } from "../../src/engine/testing/cast.suite.ts";
import { alsoIn } from "./also-in.ts";
import { walk } from "./walk.ts";

const cut = (said: Reply): Reply => ({ ...(typeof said === "object" ? said : { text: said ?? "Done." }), logCut: 3_000_000 });

/** An agent that pawl did not start brings all that it printed. */
const long = (said: Reply): Reply =>
	`${"a line of chatter\n".repeat(500)}\n${typeof said === "object" ? (said.text ?? "Done.") : (said ?? "Done.")}`;

walk("G-30 a person is told that a log was cut", ({ driver, isWriter }) => ({
	options: { logMax: 1000 },
	play: async (turn, usual) => (isWriter(turn) ? (driver === "pulled" ? long : cut)(await usual()) : usual()),
	holds: async (h) => {
		const remarks = (await h.events()).flatMap((e) => (e.event === "remarked" ? [e.text] : []));
		const wanted = driver === "pulled" ? /logs\.max/ : /logs\.max.*3\.0 MB/;
		assert.ok(
			remarks.some((text) => wanted.test(text)),
			remarks.join("\n"),
		);
	},
}));

alsoIn("G-30", "src/agent/program/bounded-file.test.ts");
