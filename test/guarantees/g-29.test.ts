// G-29: secrets are taken out where text enters the journal, whoever wrote it.
import assert from "node:assert/strict";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { fails, type Reply } from "../../src/engine/testing/cast.suite.ts";
import { alsoIn } from "./also-in.ts";
import { walk } from "./walk.ts";

const SECRET = "sk-live-4f7a9c";

walk("G-29 agents that print a secret: it is in no event", ({ isWriter }) => {
	let failed = false;
	const leaky = (said: Reply): Reply =>
		typeof said === "string" ? `I used the key ${SECRET}.\n${said.replace("a file", `a file with ${SECRET}`)}` : said;
	return {
		options: { secrets: [SECRET] },
		play: async (turn, usual) => {
			const said = leaky(await usual());
			if (!isWriter(turn) || failed) return said;
			failed = true;
			appendFileSync(join(turn.sharedDir, "scratch.md"), `noted: ${SECRET}\n`);
			return fails("agent_error", `the server refused ${SECRET}`);
		},
		holds: async (h) => {
			const events = JSON.stringify(await h.events());
			assert.ok(events.includes("the server refused ***"));
			assert.ok(!events.includes(SECRET), "a secret is in the journal");
			for (const { path, bytes } of await h.store.open(h.clock.now).files(h.run))
				assert.ok(!Buffer.from(bytes ?? []).includes(SECRET), `a secret is in ${path}, which every machine gets`);
		},
	};
});

alsoIn("G-29", "src/engine/redact.test.ts");
