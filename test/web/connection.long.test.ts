// The page and its connection: the token, what is said when it is lost, and how it comes back. In a real Chromium, against a
// stub of the server.
import assert from "node:assert/strict";
import { after, before, type TestContext, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { until } from "../support/scratch.ts";
import { connection, gone, heading, launch, open, seen, type Tab, to } from "./browser.ts";
import { question, rowOf, run, type SampleRun, serve } from "./sample.ts";
import { Stub } from "./stub.ts";

let browser: Browser;
let stub: Stub;
before(async () => {
	[browser, stub] = await Promise.all([launch(), new Stub().start()]);
	serve(stub, [run("r-1", { title: "Held run" })]);
});
after(async () => {
	await browser.close();
	await stub.stop();
});

const openFor = async (t: TestContext, url: string): Promise<Tab> => {
	const tab = await open(browser, url);
	t.after(() => tab.close());
	return tab;
};
const ownStub = async (t: TestContext): Promise<Stub> => {
	const own = await new Stub().start();
	t.after(() => own.stop());
	return own;
};
/** The tab that holds the stream: on a busy machine another one may take the first one for frozen, and go on in its place. */
const leaderOf = (first: Page): (() => Page) => {
	let leading = first;
	first.context().on("request", (request) => {
		if (request.url().endsWith("/stream")) leading = request.frame().page();
	});
	return () => leading;
};

/** The page has taken everything that the stream said before: now a question waits. */
const readSoFar = async (page: Page, own: Stub, view: SampleRun): Promise<void> => {
	own.answers.set("inbox", [question(view)]);
	own.journal(view.run, 11, { event: "step_waiting", at: 1 });
	await seen(page.getByRole("link", { name: "Inbox 1" }));
};

test("X-24: the token leaves the address and is kept for the tab alone", async (t) => {
	const { page, faults } = await openFor(t, stub.url);
	await seen(connection(page, "live"));
	assert.ok(!page.url().includes(stub.token));
	assert.equal(await page.evaluate<number>("localStorage.length"), 0);
	assert.equal(await page.evaluate<string>("document.cookie"), "");
	assert.equal(await page.evaluate<number>("history.length"), 2);
	await page.getByRole("link", { name: "Held run" }).click();
	await seen(heading(page, "Held run"));
	await page.reload();
	await seen(heading(page, "Held run"));
	await seen(connection(page, "live"));
	assert.deepEqual(faults, []);
});

test("X-24: without a token the page says what to do, and gets it from another tab of the browser", async (t) => {
	const first = await openFor(t, to(stub.url, "/"));
	await seen(first.page.getByRole("alert").filter({ hasText: "pawl ui" }));
	const second = await first.another(stub.url);
	await seen(connection(second.page, "live"));
	await seen(connection(first.page, "live"));
	assert.equal(await first.page.getByRole("alert").count(), 0);
	// A tab that is opened now asks the others.
	const third = await first.another(to(stub.url, "/runs/r-1"));
	await seen(heading(third.page, "Held run"));
});

test("X-24: a server that is gone is shown as lost; it heals by itself, goes on after the last event, and shows what changed meanwhile", async (t) => {
	const own = await ownStub(t);
	const view = run("r-1", { title: "Held run" });
	serve(own, [view]);
	const { page, faults } = await openFor(t, own.url);
	await seen(connection(page, "live"));
	own.journal("r-1", 11, { event: "step_started", at: 1, scope: "US-002", step: "step-2", attempt: 1, role: "developer" });
	own.row(rowOf({ ...view, title: "It was read" }));
	await seen(page.getByText("It was read"));
	await own.stop();
	await seen(connection(page, "lost"));
	serve(own, [{ ...view, status: "completed", driven: false }]);
	await own.start();
	await seen(connection(page, "live"));
	await seen(page.getByRole("listitem").filter({ hasText: "completed" }));
	assert.equal(own.opened.at(-1), "1", "it named the last event that it saw");
	assert.deepEqual(faults, []);
});

test("X-24: after a restart an alert says that the token is another, and the new link in any tab heals every tab, where it is", async (t) => {
	const own = await ownStub(t);
	serve(own, [run("r-1", { title: "Held run" })]);
	const first = await openFor(t, own.url);
	await first.page.getByRole("link", { name: "Held run" }).click();
	await seen(heading(first.page, "Held run"));
	await own.restart();
	await seen(first.page.getByRole("alert").filter({ hasText: "Open the link" }));
	await seen(connection(first.page, "lost"));
	const second = await first.another(own.url);
	await seen(connection(second.page, "live"));
	await seen(connection(first.page, "live"));
	await seen(heading(first.page, "Held run"));
	assert.equal(await first.page.getByRole("alert").count(), 0);
	// The same link in a tab that is already there.
	await own.restart();
	await seen(second.page.getByRole("alert"));
	await second.page.goto(own.url);
	await seen(connection(second.page, "live"));
	await seen(connection(first.page, "live"));
});

test("X-24: a run that somebody starts appears, and a dead engine is shown as cut off, without a reload", async (t) => {
	const { page, faults } = await openFor(t, stub.url);
	await seen(connection(page, "live"));
	await seen(page.getByRole("link", { name: "Held run" }));
	stub.row(rowOf(run("r-2", { title: "From the command line" })));
	const item = page.getByRole("listitem").filter({ hasText: "From the command line" });
	await seen(item.filter({ hasText: "running" }));
	stub.row(rowOf(run("r-2", { title: "From the command line", driven: false })));
	await seen(item.filter({ hasText: "cut off" }));
	assert.deepEqual(faults, []);
});

test("X-24: a row that comes before the first list is not lost with it", async (t) => {
	const own = await ownStub(t);
	const view = run("r-1", { title: "Held run" });
	serve(own, [view]);
	const list = own.hold("runs");
	const { page } = await openFor(t, own.url);
	await list.asked;
	own.row(rowOf({ ...view, title: "Newer than the list" }));
	await readSoFar(page, own, view);
	list.release();
	await seen(page.getByRole("listitem"));
	assert.equal(await page.getByRole("listitem").filter({ hasText: "Newer than the list" }).count(), 1);
});

test("X-24: a list that was read before a row does not replace it, nor a run that the list does not have", async (t) => {
	const own = await ownStub(t);
	const view = run("r-1", { title: "Held run" });
	const other = run("r-2", { title: "Only in the list", created_at: "2026-01-05T10:00:00.000Z" });
	serve(own, [view]);
	const { page } = await openFor(t, own.url);
	await seen(page.getByRole("link", { name: "Held run" }));
	serve(own, [other, view]);
	const list = own.hold("runs");
	// A run that the page does not know: it asks for the list.
	own.journal("r-2", 1, { event: "run_created", at: 1 });
	await list.asked;
	own.row(rowOf({ ...view, title: "Newer than the list" }));
	own.row(rowOf(run("r-3", { title: "Not in the list", created_at: "2026-01-05T11:00:00.000Z" })));
	await seen(page.getByRole("link", { name: "Newer than the list" }));
	await seen(page.getByRole("link", { name: "Not in the list" }));
	list.release();
	await seen(page.getByRole("link", { name: "Only in the list" }));
	const shown = await page.getByRole("main").getByRole("listitem").getByRole("link").allTextContents();
	assert.deepEqual(shown, ["Not in the list", "Only in the list", "Newer than the list"]);
});

test("X-24: the screen of a run hears of a dead engine although the list of runs is not there yet", async (t) => {
	const own = await ownStub(t);
	const view = run("r-1", { title: "Held run" });
	serve(own, [view]);
	const list = own.hold("runs");
	const { page } = await openFor(t, `${to(own.url, "/runs/r-1")}#token=${own.token}`);
	await list.asked;
	await seen(heading(page, "Held run"));
	serve(own, [{ ...view, driven: false }]);
	own.row(rowOf({ ...view, driven: false }));
	await seen(page.getByRole("main").getByText("cut off"));
	list.release();
});

test("X-24: what could not be read for a moment is asked for again, although nothing more happens", async (t) => {
	const own = await ownStub(t);
	const view = run("r-1", { title: "Held run" });
	serve(own, [view]);
	const { page } = await openFor(t, `${to(own.url, "/runs/r-1")}#token=${own.token}`);
	await seen(heading(page, "Held run"));
	serve(own, [{ ...view, status: "completed", driven: false }]);
	own.away.add("runs/r-1");
	own.journal("r-1", 11, { event: "run_status_changed", at: 1, status: "completed" });
	await seen(page.getByRole("alert").filter({ hasText: "the store is busy" }));
	own.away.clear();
	await seen(page.getByRole("main").getByText("completed", { exact: true }));
});

test("X-24: all tabs of a browser share one stream, more of them than it has connections; when its tab closes, another one goes on", async (t) => {
	const own = await ownStub(t);
	const view = run("r-1", { title: "Held run" });
	serve(own, [view]);
	const first = await openFor(t, own.url);
	await seen(connection(first.page, "live"));
	const leading = leaderOf(first.page);
	const tabs = [first];
	while (tabs.length < 8) tabs.push(await first.another(to(own.url, "/")));
	for (const { page } of tabs) await seen(connection(page, "live"));
	await until("one stream", () => own.connections === 1);
	own.journal("r-1", 11, { event: "step_started", at: 1, scope: "US-002", step: "step-2", attempt: 1, role: "developer" });
	own.row(rowOf({ ...view, title: "One for all" }));
	for (const { page } of tabs) await seen(page.getByText("One for all"));
	serve(own, [{ ...view, title: "After the first" }]);
	const closed = leading();
	await closed.close();
	const others = tabs.filter(({ page }) => page !== closed);
	for (const { page } of others) await seen(page.getByText("After the first"));
	await until("one stream", () => own.connections === 1);
	assert.equal(own.opened.at(-1), "1", "the next tab goes on where the first one was");
	await own.stop();
	for (const { page } of others) await seen(connection(page, "lost"));
	await own.start();
	for (const { page } of others) await seen(connection(page, "live"));
});

test("X-24: what a tab passes on late, from a stream that another tab has replaced, is not taken for news", async (t) => {
	const own = await ownStub(t);
	const view = run("r-1", { title: "Held run" });
	serve(own, [view]);
	const first = await openFor(t, own.url);
	await seen(connection(first.page, "live"));
	const leading = leaderOf(first.page);
	const second = await first.another(to(own.url, "/"));
	const pages = [first.page, second.page];
	for (const page of pages) await seen(connection(page, "live"));
	own.journal("r-1", 11, { event: "step_started", at: 1, scope: "US-002", step: "step-2", attempt: 1, role: "developer" });
	own.row(rowOf({ ...view, title: "The newest" }));
	for (const page of pages) {
		await seen(page.getByRole("link", { name: "The newest" }));
		await page.evaluate(
			`globalThis.__heard = new Promise((done) => new BroadcastChannel("pawl").addEventListener("message", ({ data }) => data.event?.id === "late" && done())); 0`,
		);
	}
	// As a tab that the browser had frozen, and that wakes up.
	const late = { name: "run", id: "late", data: JSON.stringify(rowOf(view)) };
	await first.page.evaluate(`new BroadcastChannel("pawl").postMessage(${JSON.stringify({ type: "event", number: 0.5, event: late })})`);
	for (const page of pages) await page.evaluate("__heard");
	own.row(rowOf(run("r-2", { title: "Later still" })));
	for (const page of pages) {
		await seen(page.getByRole("link", { name: "Later still" }));
		assert.equal(await page.getByRole("link", { name: "The newest" }).count(), 1);
	}
	const opened = own.opened.length;
	await leading().close();
	await until("the other tab's stream", () => own.opened.length > opened);
	assert.equal(own.opened.at(-1), "1", "it goes on after the last event of the stream itself");
});

test("X-24: a link that is older than the server does not take a tab's good token away, and is healed by it", async (t) => {
	const own = await ownStub(t);
	serve(own, [run("r-1", { title: "Held run" })]);
	const first = await openFor(t, own.url);
	await seen(connection(first.page, "live"));
	const second = await first.another(`${to(own.url, "/")}#token=${"x".repeat(43)}`);
	await seen(second.page.getByRole("link", { name: "Held run" }));
	// While the server is away nobody knows which of the two is right.
	await own.stop();
	await seen(connection(first.page, "lost"));
	await first.page.evaluate(`new BroadcastChannel("pawl").postMessage({ type: "token", token: "${"y".repeat(43)}" })`);
	await own.start();
	for (const { page } of [first, second]) await seen(connection(page, "live"));
	assert.equal(await first.page.getByRole("alert").count(), 0);
});

test("X-24: thirty seconds without a byte count as lost, in every tab; comments are bytes", async (t) => {
	const own = await ownStub(t);
	own.silent = true;
	serve(own, [run("r-1", { title: "Held run" })]);
	const first = await openFor(t, to(own.url, "/"));
	// Time stands still in all tabs of this browser unless the test says otherwise.
	await first.page.clock.install({ time: 0 });
	await first.page.clock.pauseAt(1_000);
	await first.page.goto(own.url);
	await seen(connection(first.page, "live"));
	const second = await first.another(to(own.url, "/"));
	await seen(connection(second.page, "live"));
	await first.page.evaluate(
		`globalThis.__heard = new Promise((done) => new BroadcastChannel("pawl").addEventListener("message", ({ data }) => data.type === "beat" && done())); 0`,
	);
	await first.page.clock.fastForward(20_000);
	own.beat();
	await first.page.evaluate("__heard");
	await first.page.clock.fastForward(20_000);
	assert.equal(await connection(first.page, "live").count(), 1, "twenty seconds since the last byte");
	const opened = own.opened.length;
	await first.page.clock.fastForward(11_000);
	await seen(connection(first.page, "lost"));
	await seen(connection(second.page, "lost"));
	await first.page.clock.fastForward(1_000);
	for (const { page } of [first, second]) await seen(connection(page, "live"));
	assert.equal(own.opened.length, opened + 1);
});

test("X-24: the browser notifies of a new question once it may, and only while nobody looks at the page", async (t) => {
	const own = await ownStub(t);
	const view = run("r-1", { title: "Asking run" });
	serve(own, [view], [question(view, { ask: "1", reason: "It was there before" })]);
	const { page, faults } = await openFor(t, to(own.url, "/inbox"));
	await page.addInitScript(`
		globalThis.__told = [];
		globalThis.Notification = class { static permission = "default"; static async requestPermission() { return (this.permission = "granted"); }
			constructor(title, { body, tag }) { globalThis.__told.push({ title, body, tag }); } };
		Object.defineProperty(document, "hidden", { get: () => globalThis.__hidden === true });`);
	await page.goto(`${to(own.url, "/inbox")}#token=${own.token}`);
	await page.reload();
	const ask = async (ask: string, reason: string, shown = reason): Promise<void> => {
		own.answers.set("inbox", [question(view, { ask, reason })]);
		own.journal("r-1", 20 + Number(ask), { event: "step_waiting", at: 1 });
		await seen(page.getByText(shown));
	};
	await page.getByRole("button", { name: /notify me/i }).click();
	await gone(page.getByRole("button", { name: /notify me/i }));
	await ask("2", "Somebody looks");
	assert.deepEqual(await page.evaluate("__told"), []);
	await page.evaluate("__hidden = true");
	await ask("3", "Is \u001b[31mit\u001b[0m good?", "Is it good?");
	assert.deepEqual(await page.evaluate("__told"), [{ title: "pawl: Asking run", body: "Is it good?", tag: "r-1 US-001 step-2 3" }]);
	assert.deepEqual(faults, []);
});
