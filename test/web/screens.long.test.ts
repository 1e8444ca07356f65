// Every screen in a real Chromium against a stub of the server: what it shows, and what its buttons and keys do.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import type { Browser } from "playwright-core";
import { gone, heading, launch, seen } from "./browser.ts";
import { detail, question, rowOf, run, type SampleRun, serve, story } from "./sample.ts";
import { main, setUpWith } from "./set-up.ts";
import { PAGE } from "./stub.ts";

let browser: Browser;
before(async () => {
	browser = await launch();
});
after(() => browser.close());

const setUp = setUpWith(() => browser);

test("A-72: no runs, no questions, no stories: each says so, and what to do", async (t) => {
	const { page, stub, faults } = await setUp(t, []);
	await seen(main(page).getByText(/no runs yet/i));
	await seen(main(page).getByText(/pawl run/));
	await page.getByRole("navigation").getByRole("link", { name: /inbox/i }).click();
	await seen(main(page).getByText(/nothing waits for you/i));
	const empty = run("r-1", { stories: [], progress: undefined });
	serve(stub, [empty]);
	stub.row(rowOf(empty));
	await page.getByRole("navigation").getByRole("link", { name: /runs/i }).click();
	await page.getByRole("link", { name: "Run r-1" }).click();
	await seen(page.getByRole("region", { name: "Stories" }).getByText(/no stories yet/i));
	assert.deepEqual(faults, []);
});

test("ten thousand runs: the page asks for the newest hundred, and for more when it is told to", async (t) => {
	const { page, stub, faults } = await setUp(t, []);
	const all = Array.from({ length: 250 }, (_, i) => rowOf(run(`r-${i}`, { status: "completed" })));
	const asked: number[] = [];
	stub.answers.set("runs", (search: string) => {
		const limit = Number(new URLSearchParams(search).get("limit"));
		asked.push(limit);
		return all.slice(0, limit);
	});
	await page.reload();
	const rows = main(page).locator(".run-row");
	const more = main(page).getByRole("button", { name: "Show more" });
	await seen(main(page).getByRole("link", { name: "Run r-99", exact: true }));
	assert.equal(await rows.count(), 100);
	await more.click();
	await seen(main(page).getByRole("link", { name: "Run r-199", exact: true }));
	assert.equal(await rows.count(), 200);
	await more.click();
	await seen(main(page).getByRole("link", { name: "Run r-249", exact: true }));
	await gone(more);
	assert.equal(await rows.count(), 250);
	assert.ok(Math.max(...asked) <= 301, String(asked));
	assert.deepEqual(faults, []);
});

test("A-72: a run shows status, cost and its stories; a story shows criteria, retries, and its output when asked", async (t) => {
	const view = run("r-1", {
		stories: [story("US-001", "completed", { title: "The cart", retry_count: 2, output: "CHANGES: \u001b[31mred-text\u001b[0m" })],
	});
	const { page, stub, faults } = await setUp(t, [view]);
	stub.answers.set("runs/r-1/stories/US-001", detail(view, "US-001"));
	await page.getByRole("link", { name: "Run r-1" }).click();
	await seen(heading(page, "Run r-1"));
	await seen(main(page).getByText("running"));
	await seen(main(page).getByText("$0.42"));
	await page
		.getByRole("region", { name: "Stories" })
		.getByRole("link", { name: /US-001/ })
		.click();
	await seen(heading(page, /The cart/));
	await seen(main(page).getByText("2 retries"));
	await seen(main(page).getByText("Typecheck passes"));
	const output = main(page).getByRole("button", { name: /^output/i });
	assert.equal(await output.getAttribute("aria-expanded"), "false");
	assert.equal(await main(page).getByText("red-text").count(), 0);
	await output.click();
	await seen(main(page).getByText("red-text"));
	assert.ok(!(await main(page).innerText()).includes("[31m"));
	assert.deepEqual(faults, []);
});

test("A-72: steer, extend, pause and cancel; cancel asks first; a refusal is said in an alert, with the server's sentence", async (t) => {
	const { page, stub } = await setUp(t, [run("r-1")], [], { path: "/runs/r-1" });
	const dialog = page.getByRole("dialog");
	await page.getByRole("button", { name: /^steer/i }).click();
	await dialog.getByRole("textbox").fill("Use the new API");
	await dialog.getByRole("button", { name: /^steer/i }).click();
	await gone(dialog);
	await page.getByRole("button", { name: /^extend/i }).click();
	await dialog.getByLabel(/cost/i).fill("9");
	await dialog.getByRole("button", { name: /^extend/i }).click();
	await gone(dialog);
	await page.getByRole("button", { name: /^cancel/i }).click();
	await seen(dialog);
	await page.keyboard.press("Escape");
	await gone(dialog);
	assert.deepEqual(stub.posted, [
		{ path: "runs/r-1/steer", body: { text: "Use the new API" } },
		{ path: "runs/r-1/extend", body: { max_cost: 9 } },
	]);
	await page.getByRole("button", { name: /^cancel/i }).click();
	await dialog.getByRole("button", { name: /^cancel/i }).click();
	await gone(dialog);
	assert.equal(stub.posted.at(-1)?.path, "runs/r-1/cancel");
	stub.refusals.set("runs/r-1/pause", "run r-1 has ended: there is nothing to pause");
	await page.getByRole("button", { name: /^pause/i }).click();
	await seen(page.getByRole("alert").filter({ hasText: "there is nothing to pause" }));
	await page.getByRole("button", { name: "Dismiss" }).click();
	await gone(page.getByRole("alert"));
});

test("X-24: a question in words is answered in a dialog, which shows it in lines; or the agent is left to decide", async (t) => {
	const view = run("r-1", { status: "waiting" });
	const asked = question(view, {
		reason: "1. Global\u001b[31m or per host?\n2. Is Node 18 supported?",
		ask: "7",
		actions: ["answer", "approve"],
	});
	const { page, stub, faults } = await setUp(t, [view], [asked], { path: "/inbox" });
	await main(page).getByRole("button", { name: "Answer" }).click();
	const dialog = page.getByRole("dialog");
	assert.equal(await dialog.getByText("1. Global or per host?").innerText(), "1. Global or per host?\n2. Is Node 18 supported?");
	assert.equal(await dialog.getByRole("button", { name: "Answer" }).isDisabled(), true, "an answer is needed");
	await dialog.getByRole("textbox", { name: "Answer" }).fill("1. global\n2. no");
	await dialog.getByRole("button", { name: "Answer" }).click();
	await gone(dialog);
	assert.deepEqual(stub.posted, [{ path: "runs/r-1/answer", body: { step: "US-001/step-2", ask: "7", text: "1. global\n2. no" } }]);
	await seen(main(page).getByRole("button", { name: "Let it decide" }));
	assert.deepEqual(faults, []);
});

test("X-24: the inbox: approve and retry at once, reject with a reason; a question that was answered goes away by itself", async (t) => {
	const view = run("r-1", { title: "Asking run" });
	const asked = question(view, { reason: "Good enough?" });
	const stuck = question(view, { reason: "Stuck", story: "US-002", step: "step-9", ask: "8", actions: ["approve", "reject", "retry"] });
	const { page, stub, faults } = await setUp(t, [view], [asked, stuck], { path: "/inbox" });
	await seen(page.getByRole("navigation").getByRole("link", { name: "Inbox 2" }));
	const item = (text: string) => main(page).getByRole("listitem").filter({ hasText: text });
	await item("Stuck").getByRole("button", { name: "Retry" }).click();
	await stub.came(1);
	await item("Good enough?").getByRole("button", { name: "Reject" }).click();
	const dialog = page.getByRole("dialog");
	assert.equal(await dialog.getByRole("button", { name: "Reject" }).isDisabled(), true, "a reason is needed");
	await dialog.getByRole("textbox", { name: "Reason" }).fill("the label is missing");
	stub.onPost = () => stub.answers.set("inbox", []);
	await dialog.getByRole("button", { name: "Reject" }).click();
	await seen(main(page).getByText(/nothing waits for you/i));
	assert.deepEqual(stub.posted, [
		{ path: "runs/r-1/retry", body: { story: "US-002", ask: "8" } },
		{ path: "runs/r-1/reject", body: { step: "US-001/step-2", ask: "7", reason: "the label is missing" } },
	]);
	stub.answers.set("inbox", [asked]);
	stub.row(rowOf({ ...view, waiting: [{}] }));
	await item("Good enough?").getByRole("button", { name: "Approve" }).click();
	assert.deepEqual(faults, []);
});

test("A-72: keys move, open, answer and lead; none of them while somebody types", async (t) => {
	const views = [run("r-1", { title: "First" }), run("r-2", { title: "Second" })];
	const { page, stub, faults } = await setUp(t, views, [question(views[0] as SampleRun, { reason: "Yes?" })]);
	const here = () => page.evaluate<string>("document.activeElement?.closest('li')?.textContent ?? ''");
	await seen(main(page).getByText("Second"));
	await page.keyboard.press("?");
	await seen(page.getByRole("dialog", { name: "Keys" }));
	await page.keyboard.press("j");
	assert.equal(await here(), "", "a dialog is open");
	await page.keyboard.press("Escape");
	await gone(page.getByRole("dialog"));
	await page.keyboard.press("j");
	assert.match(await here(), /First/);
	await page.keyboard.press("j");
	assert.match(await here(), /Second/);
	await page.keyboard.press("j");
	await page.keyboard.press("k");
	assert.match(await here(), /First/);
	await page.keyboard.press("Enter");
	await seen(heading(page, "First"));
	await page.keyboard.press("g");
	await page.keyboard.press("i");
	await seen(heading(page, "Inbox"));
	await seen(main(page).getByText("Yes?"));
	await page.keyboard.press("j");
	await page.keyboard.press("r");
	const reason = page.getByRole("dialog").getByRole("textbox", { name: "Reason" });
	await reason.pressSequentially("gajr?");
	assert.equal(await reason.inputValue(), "gajr?");
	await page.keyboard.press("Escape");
	await gone(page.getByRole("dialog"));
	assert.match(await here(), /Yes\?/, "the focus is back");
	await page.keyboard.press("a");
	await page.keyboard.press("g");
	await page.keyboard.press("r");
	await seen(heading(page, /^runs/i));
	await stub.came(1);
	assert.deepEqual(
		stub.posted.map(({ path }) => path),
		["runs/r-1/approve"],
	);
	assert.deepEqual(faults, []);
});

test("a new run is started with what the form says, and its screen opens", async (t) => {
	const { page, stub } = await setUp(t, [run("r-9", { title: "Fresh" })], [], { path: "/new" });
	stub.answers.set("POST runs", rowOf(run("r-9")));
	await page.getByLabel("What should be done?").fill("Build a cart");
	await page.getByLabel("Stories at the same time").fill("3");
	await page.getByLabel(/cost limit/i).fill("2.5");
	await page.getByLabel(/^Model/).fill("coding=opus, review=haiku");
	await page.getByLabel(/pull request/i).check();
	await page.getByRole("button", { name: "Start" }).click();
	await seen(heading(page, "Fresh"));
	const options = { agents: 3, model: { coding: "opus", review: "haiku" }, max_cost: 2.5, pr: true };
	assert.deepEqual(stub.posted, [{ path: "runs", body: { workflow: "dynamic", request: "Build a cart", options } }]);
});

test("X-24: a question that somebody else answers while one types: nothing vanishes, and the refusal is said in the dialog", async (t) => {
	const view = run("r-1", { title: "Asking run" });
	const { page, stub, faults } = await setUp(t, [view], [question(view)], { path: "/inbox" });
	await main(page).getByRole("button", { name: "Reject" }).click();
	const dialog = page.getByRole("dialog");
	await dialog.getByRole("textbox", { name: "Reason" }).fill("the label is missing");
	stub.answers.set("inbox", []);
	stub.journal("r-1", 12, { event: "decided", at: 1 });
	await seen(dialog.getByText("Somebody has answered this question meanwhile."));
	assert.equal(await dialog.getByRole("textbox", { name: "Reason" }).inputValue(), "the label is missing");
	stub.refusals.set("runs/r-1/reject", "this did not count: step-2 was approved");
	await dialog.getByRole("button", { name: "Reject" }).click();
	await seen(dialog.getByRole("alert").filter({ hasText: "this did not count" }));
	await page.keyboard.press("Escape");
	await gone(dialog);
	await seen(page.getByRole("alert"));
	await page.keyboard.press("Escape");
	await gone(page.getByRole("alert"));
	assert.deepEqual(faults, []);
});

test("a thousand stories: the run opens, goes on and is operated without a stutter", async (t) => {
	const stories = Array.from({ length: 1_000 }, (_, i) =>
		story(`US-${i}`, i % 3 === 0 ? "completed" : "unclaimed", { depends_on: i > 900 ? [`US-${i - 1}`] : [] }),
	);
	const view = run("r-1", { stories });
	const { page, stub, faults } = await setUp(t, [view], [], { path: "/runs/r-1" });
	const items = page.getByRole("region", { name: "Stories" }).locator("li");
	await seen(items.first());
	assert.equal(await items.count(), 1_000);
	stub.answers.set("runs/r-1", {
		...view,
		stories: stories.map((one, i) => (i === 1 ? { ...one, status: "failed", error: "broken" } : one)),
	});
	stub.journal("r-1", 11, { event: "story_failed", at: 1, scope: "US-1", error: "broken" });
	await seen(items.first().filter({ hasText: "broken" }));
	await page.keyboard.press("j");
	assert.match(await page.evaluate<string>("document.activeElement.textContent"), /US-1/);
	await page.getByRole("link", { name: "Graph" }).click();
	await seen(page.getByRole("link", { name: /^US-999/ }));
	assert.deepEqual(faults, []);
});

test("a session of 100,000 lines is drawn in parts, searched and followed", async (t) => {
	const view = run("r-1");
	const { page, stub, faults } = await setUp(t, [view]);
	const records = Array.from({ length: 100_000 }, (_, i) => ({ type: "text", text: `line ${i}${i === 77_777 ? " needle" : ""}` }));
	const page1 = { records: records.slice(0, 99_990), next: "1" };
	let written = 99_990;
	stub.answers.set("runs/r-1/stories/US-002/steps/step-2/log", (search: string) => {
		const after = new URLSearchParams(search).get("after");
		if (after === "0") return page1;
		const from = after === "1" ? 99_990 : Number(after);
		return { records: records.slice(from, written), next: String(written) };
	});
	await page.evaluate(`history.pushState(null, "", "/runs/r-1/stories/US-002/steps/step-2"); dispatchEvent(new PopStateEvent("popstate"))`);
	await seen(page.getByText("line 99989", { exact: true }), 20_000);
	assert.ok((await page.locator(".long-list-line").count()) < 200, "only what is in sight is drawn");
	written = 100_000;
	await seen(page.getByText("line 99999", { exact: true }));
	await page.getByRole("searchbox", { name: "Search the session" }).fill("needle");
	await seen(page.getByText("line 77777 needle"));
	await seen(page.getByText("1 of 1"));
	// However far one scrolls, only a screen of lines is drawn.
	const drawn = await page.evaluate<number>(`new Promise((done) => {
		const list = document.querySelector(".long-list"); let left = 20; let added = 0;
		new MutationObserver((changes) => { for (const { addedNodes } of changes) added += [...addedNodes].filter((node) => node.matches?.(".long-list-line")).length; }).observe(list, { childList: true, subtree: true });
		const next = () => { list.scrollTop = (left * 7919 * 100) % list.scrollHeight; if (left-- > 0) requestAnimationFrame(next); else done(added); };
		next(); })`);
	assert.ok(drawn < 20 * 150, `20 jumps drew ${drawn} lines`);
	assert.deepEqual(faults, []);
});

test("the page is small, holds no script of its own, and its files are named by their content", () => {
	const files = ["index.html", ...readdirSync(join(PAGE, "assets")).map((name) => join("assets", name))];
	const bytes = files.reduce((sum, file) => sum + gzipSync(readFileSync(join(PAGE, file))).length, 0);
	assert.ok(bytes <= 120 * 1024, `${bytes} bytes gzipped`);
	const html = readFileSync(join(PAGE, "index.html"), "utf8");
	assert.doesNotMatch(html, /<script(?![^>]*\bsrc=)|<style|\son\w+=|style="/);
	for (const file of files.slice(1)) assert.match(file, /-[\w-]{8}\.(js|css|svg)$/);
});
