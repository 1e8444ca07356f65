// G-30: the log of an attempt has a bound: its beginning and end are kept, and the cut is said.
import assert from "node:assert/strict";
import type { Reply } from "../../src/engine/testing/cast.suite.ts";
import { alsoIn } from "./also-in.ts";
import { walk } from "./walk.ts";

const cut = (said: Reply): Reply => ({ ...(typeof said === "object" ? said : { text: said ?? "Done." }), logCut: 3_000_000 });

walk("G-30 a person is told that a log was cut", ({ driver, isWriter }) => {
	// Of an agent that pawl did not start, pawl cuts what it brings: the rows with real processes show it.
	if (driver === "pulled") return null;
	return {
		play: async (turn, usual) => (isWriter(turn) ? cut(await usual()) : usual()),
		holds: async (h) => {
			const remarks = (await h.events()).flatMap((e) => (e.event === "remarked" ? [e.text] : []));
			assert.ok(
				remarks.some((text) => /logs\.max.*3\.0 MB/.test(text)),
				remarks.join("\n"),
			);
		},
	};
});

alsoIn("G-30", "src/agent/program/bounded-file.test.ts");
