// What a person who was away reads about a pipeline that has ended: in the summary and in `pawl status`, in process.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { asideLines } from "../../src/cli/text/delivered-lines.ts";
import { summaryText } from "../../src/cli/text/summary.ts";
import { paint } from "../../src/cli/text/text.ts";
import { statusText } from "../../src/cli/watch/status.ts";
import type { Event } from "../../src/core/event.ts";
import { foreignRefs } from "../../src/engine/attempt/ref-text.ts";
import { BUILT_IN } from "../../src/engine/testing/built-in.suite.ts";
import type { Cast } from "../../src/engine/testing/cast.suite.ts";
import { type Harness, harness } from "../../src/engine/testing/harness.suite.ts";
import { MemoryRepository } from "../../src/engine/testing/memory-repository.suite.ts";
import { lookAtEnded } from "../../src/runs/drive/ended.ts";
import { keptRefs } from "../../src/runs/look/delivery.ts";
import { statusIn } from "../../src/runs/look/status.ts";
import { goOn } from "../guarantees/walk.ts";

const look = { width: 160, color: paint(false), now: 0 };

async function shown(h: Harness): Promise<{ readonly summary: string; readonly status: string }> {
	const [repository, events, state] = [new MemoryRepository(h.site), await h.events(), await h.state()];
	const store = h.store.open(h.clock.now);
	try {
		const view = await statusIn({ root: h.site.root, repository, store, events, state }, h.clock.now());
		return {
			summary: summaryText(await lookAtEnded(repository, events, state), look),
			status: statusText(view, look.width, look.color, h.clock.now()),
		};
	} finally {
		await store.close();
	}
}

const run = (t: TestContext, workflow: string, cast: Cast): Promise<Harness> => {
	const usual = BUILT_IN[workflow] ?? assert.fail(`there is no ${workflow}`);
	return harness(t, { ...usual, cast: { ...usual.cast, ...cast } });
};

const approve = { type: "decide", scope: null, step: null, verdict: "approve", reason: "" } as const;

test("G-16 the status of a run that is over names its branch, its commits and its pull request, as the summary does", async (t) => {
	const h = await run(t, "bug-fix", {});
	assert.equal((await h.toHalt()).status, "completed");
	for (const text of Object.values(await shown(h))) {
		assert.match(text, /commits on fix\/it\n {2}[0-9a-f]{8} {2}\S/);
		assert.match(text, /branch: fix\/it \(1 commit on top of main, which is as it was\)/);
		assert.match(text, /pull request: not opened; its text is in .*pull-request\.md/);
	}
});

test("G-16 a story that a person settled without a change is shown with the reason", async (t) => {
	const h = await run(t, "security-audit", { "US-001 fix": "STATUS: blocked\nREASON: wrong-4730" });
	assert.equal((await h.toHalt()).status, "waiting");
	assert.equal((await goOn(h, { ...approve, at: h.clock.now() })).status, "completed");
	for (const text of Object.values(await shown(h))) assert.match(text, /settled without a change\n {2}US-001: Title 1 \(.*wrong-4730/);
});

test("G-16 G-10 what was put aside, and refs that were taken away, are named at the end and later", async (t) => {
	const h = await run(t, "bug-fix", {});
	assert.equal((await h.toHalt()).status, "completed");
	mkdirSync(join(h.sharedDir, "put_aside/run-fix-2/tmp"), { recursive: true });
	writeFileSync(join(h.sharedDir, "put_aside/run-fix-2/tmp/x"), "");
	writeFileSync(join(h.sharedDir, "put_aside/run-fix-2/.env"), "");
	for (const text of Object.values(await shown(h))) {
		assert.match(
			text,
			/files that were put aside as no part of the work\n {2}put_aside\/run-fix-2\/\.env\n {2}put_aside\/run-fix-2\/tmp\/x\n/,
		);
		assert.doesNotMatch(text, /for-each-ref/);
	}
	const text =
		foreignRefs("fix", [{ what: "tag wip", change: "made", by: "session", kept: "refs/pawl/put-back/tags/wip/1", putBack: true }]) ?? "";
	const remark: Event = { event: "remarked", at: 0, scope: "@run", step: "fix", attempt: 1, text };
	const refs = keptRefs([remark]);
	assert.deepEqual([refs, keptRefs([{ ...remark, text: "wip" }])], ["refs/pawl/put-back", null]);
	assert.match(asideLines({ aside: [], keptRefs: refs }, look).join("\n"), /git for-each-ref refs\/pawl\/put-back$/);
});
