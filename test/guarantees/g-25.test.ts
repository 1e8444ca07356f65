// G-25: a quotation is not a report, and two different values of a deciding key make a report unreadable: the next attempt is told both.
import assert from "node:assert/strict";
import { alsoIn } from "./also-in.ts";
import { walk } from "./walk.ts";

const QUOTED = ["STATUS: retry", "VERDICT: BLOCK", "ACTION: re_plan", "STEERING_NEEDED: yes", "ACCEPTED: no"]
	.map((line) => `> ${line}`)
	.join("\n");

walk("G-25 what a report quotes decides nothing", () => {
	return {
		play: async (_, usual) => {
			const said = await usual();
			return typeof said === "string" ? `The log of the last run says:\n\n${QUOTED}\n\nMine:\n\n${said}` : said;
		},
		holds: async (h, state) => {
			assert.equal(state.status, "completed", state.reason ?? "");
			const unread = (await h.events()).filter((e) => e.event === "route_taken" && e.signal === "unreadable");
			assert.deepEqual(unread, []);
		},
	};
});

/** Key → a value that says the opposite of what the table's casts say. */
const OPPOSITE: Readonly<Record<string, string>> = { STATUS: "retry", VERDICT: "NEEDS WORK", ACTION: "re_plan", STEERING_NEEDED: "yes" };

walk("G-25 a report that says two things is not believed", ({ definition }) => {
	let doubled: { key: string; story: string; type: string; role: string } | null = null;
	return {
		play: async (turn, usual) => {
			const said = await usual();
			const key = typeof said === "string" ? (/^([A-Z_]+): (done|ACCEPTABLE|FINE|pass|no)$/m.exec(said)?.[1] ?? "") : "";
			const other = definition.name === "own-stories" && key === "VERDICT" ? "BAD" : OPPOSITE[key];
			// The word of one who only advises leads nowhere.
			const advises = turn.role === "advise" || turn.role === "simplify";
			if (advises || doubled !== null || other === undefined || typeof said !== "string") return said;
			doubled = { key, story: turn.story, type: turn.type, role: turn.role };
			return `${said.trim()}\n\nOn second thoughts:\n\n${key}: ${other}\n`;
		},
		holds: async (h) => {
			// `dynamic` decides by no key.
			if (doubled === null) return assert.equal(definition.name, "dynamic");
			const { key, story, type, role } = doubled;
			const reasons = (await h.events()).flatMap((e) => (e.event === "route_taken" && e.signal === "unreadable" ? [e.reason ?? ""] : []));
			assert.match(reasons[0] ?? "", new RegExp(key), `${type} ${role}`);
			const next = h.prompts.filter((one) => one.story === story && one.type === type && one.role === role)[1];
			if (next !== undefined) assert.match(next.prompt, new RegExp(`${key}`));
		},
	};
});

alsoIn("G-25", "src/core/report/as-written.test.ts");
