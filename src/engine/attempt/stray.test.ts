import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { strayRemarks } from "./stray.ts";

test("G-16 files of the person's own checkout that a session names and that changed while it ran are told", (t) => {
	const root = mkdtempSync(join(tmpdir(), "pawl-stray-"));
	t.after(() => rmSync(root, { recursive: true, force: true }));
	const put = (path: string, text: string): string => {
		const file = join(root, path);
		mkdirSync(dirname(file), { recursive: true });
		writeFileSync(file, text);
		return file;
	};
	const since = Date.now() - 1000;
	const old = put("src/old.ts", "");
	utimesSync(old, 1, 1);
	put("src/new.ts", "");
	put("src/mine.ts", "");
	put(".pawl/worktrees/agent-1/src/new.ts", "");
	const log = put(
		".pawl/log.jsonl",
		`{"file_path":"${root}/src/new.ts"}\n{"command":"cat ${root}/src/old.ts ${root}/.pawl/worktrees/agent-1/src/new.ts ${root}/gone.ts"}\n`,
	);
	const [said = "", ...more] = strayRemarks({ root, log, since, pawls: [] });
	assert.match(said, /your own checkout .* that its log names: src\/new\.ts\. It was to stay/);
	assert.equal(more.length, 0);
	assert.deepEqual(strayRemarks({ root, log, since: Date.now() + 60_000, pawls: [] }), []);
	assert.deepEqual(strayRemarks({ root, log, since, pawls: [join(root, "src/new.ts")] }), []);
	assert.deepEqual(strayRemarks({ root, log: join(root, "no-log"), since, pawls: [] }), []);
});
