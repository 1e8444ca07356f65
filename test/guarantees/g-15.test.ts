// G-15: the next attempt knows why it runs: what the one before did wrong, and where its diff lies.
import assert from "node:assert/strict";
import { fails, type Turn } from "../../src/engine/testing/cast.suite.ts";
import { alsoIn } from "./also-in.ts";
import { retried, walk } from "./walk.ts";

const WHY = "the parser of dates was out of reach";

walk("G-15 a writer gives up: its next attempt is told why, and where the work is that was put back", ({ path, driver, isWriter }) => {
	const attempts: string[] = [];
	const told = path.told ?? ((turn: Turn) => turn.prompt);
	const [file] = path.change;
	return {
		play: (turn, usual) => {
			if (!isWriter(turn) || turn.story === "US-2") return usual();
			attempts.push(told(turn));
			if (attempts.length > 1) return usual();
			turn.files.write(file, "half of the work\n");
			return fails("agent_error", WHY);
		},
		holds: async (h, state) => {
			if (attempts.length < 2 && state.status === "failed" && path.resumes !== false) await retried(h);
			if (attempts.length < 2) assert.ok(path.resumes === false, "there was no second attempt");
			else assert.match(attempts[1] ?? "", new RegExp(WHY), driver);
			const diff = [...h.site.diffs.keys()].findLast((name) => name.includes("/failures/"));
			if (diff !== undefined && path.told === undefined && attempts.length > 1)
				assert.ok(attempts[1]?.includes(diff), `nobody is told of ${diff}`);
		},
	};
});

alsoIn("G-15", "src/prompt/opening.test.ts", "src/core/decide/route.test.ts");
