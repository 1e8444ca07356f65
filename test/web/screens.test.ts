// Every screen in a real Chromium against a stub of the server: what it shows, what its buttons and keys do, light and dark, narrow and
// wide, and with hostile text in every field.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, type TestContext, test } from "node:test";
import { gzipSync } from "node:zlib";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { axe, connection, gone, heading, launch, open, seen, sideways, type Tab, to } from "./browser.ts";
import { attempt, detail, LOG, logOf, PATCH, question, rowOf, run, type SampleRun, serve, spent, step, story } from "./sample.ts";
import { PAGE, Stub } from "./stub.ts";

let browser: Browser;
before(async () => {
	browser = await launch();
});
after(() => browser.close());

const setUp = async (
	t: TestContext,
	views: readonly SampleRun[],
	questions: readonly object[] = [],
	options: BrowserContextOptions & { path?: string } = {},
): Promise<Tab & { readonly stub: Stub }> => {
	const stub = await new Stub().start();
	t.after(() => stub.stop());
	serve(stub, views, questions);
	const { path = "/", ...context } = options;
	const tab = await open(browser, `${to(stub.url, path)}#token=${stub.token}`, context);
	t.after(() => tab.close());
	await seen(connection(tab.page, "live"));
	return { ...tab, stub };
};

const main = (page: Page) => page.getByRole("main");

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

test("X-24: the inbox: approve and retry at once, reject with a reason; a question that was answered goes away by itself", async (t) => {
	const view = run("r-1", { title: "Asking run" });
	const asked = question(view, { reason: "Good enough?" });
	const stuck = question(view, { reason: "Stuck", story: "US-002", step: "step-9", ask: "8", actions: ["approve", "reject", "retry"] });
	const { page, stub, faults } = await setUp(t, [view], [asked, stuck], { path: "/inbox" });
	await seen(page.getByRole("navigation").getByRole("link", { name: "Inbox 2" }));
	const item = (text: string) => main(page).getByRole("listitem").filter({ hasText: text });
	await item("Stuck").getByRole("button", { name: "Retry" }).click();
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
	await page.getByRole("button", { name: "Start" }).click();
	await seen(heading(page, "Fresh"));
	assert.deepEqual(stub.posted, [
		{ path: "runs", body: { workflow: "dynamic", request: "Build a cart", options: { agents: 3, max_cost: 2.5 } } },
	]);
});

/** Markup, terminal codes, a line that turns around, and a word that cannot break. */
const EVIL = `<img src=x onerror="alert(1)"><script>alert(2)</script> [l](javascript:alert(3)) \u001b[31mred\u001b[0m \u202eevil\u202c ${"w".repeat(180)}`;

function hostile(): { readonly view: SampleRun; readonly questions: readonly object[] } {
	const steps = [
		step("step-1", EVIL, "completed", { description: EVIL, notes: EVIL }),
		step("step-2", "coding", "failed", { error: EVIL }),
	];
	const view = run("r-1", {
		title: EVIL,
		workflow: EVIL,
		base: EVIL,
		status: "waiting",
		driven: false,
		reason: EVIL,
		steps,
		stories: [
			story("US-001", "failed", {
				title: EVIL,
				error: EVIL,
				description: EVIL,
				acceptance_criteria: [EVIL],
				output: EVIL,
				steps,
				depends_on: ["US-002"],
			}),
			story("US-002", "in_progress", { title: EVIL }),
		],
		reasons: [{ kind: "failed", at: 1, story: "US-001", step: "step-2", type: EVIL, what: EVIL, reason: EVIL }],
		advice: [{ text: EVIL, commands: [EVIL] }],
	});
	return { view, questions: [question(view, { reason: EVIL, type: EVIL, about: { step: "s", type: EVIL, notes: EVIL } })] };
}

function answerAll(stub: Stub, view: SampleRun): void {
	const attempts = [
		attempt("US-001", "step-2", EVIL, 1, 3, { role: EVIL, agent: EVIL, model: EVIL, signal: EVIL, reason: EVIL }),
		attempt("US-001", "step-2", "coding", 3, 9, {
			number: 2,
			checks: [{ name: EVIL, command: EVIL, exit_code: 1, output: EVIL }],
			remarks: [EVIL],
		}),
	];
	const own = detail(view, "US-001");
	stub.answers.set("runs/r-1/stories/US-001", {
		...own,
		steps: own.steps.map((one) => ({ ...one, attempts })),
		edits: [{ at: view.created_at, step: EVIL, accepted: true, operation: EVIL, reason: EVIL, before: EVIL, after: [EVIL] }],
		decisions: [{ at: view.created_at, step: EVIL, verdict: EVIL, reason: EVIL, by: { user: EVIL, how: EVIL } }],
		put_back: [EVIL],
	});
	stub.answers.set("runs/r-1/attempts", attempts);
	stub.answers.set("runs/r-1/cost", {
		...spent(),
		completed_stories: 1,
		cost_per_completed_story_usd: 1,
		by_story: [{ name: EVIL, ...spent() }],
		by_step_type: [{ name: EVIL, ...spent() }],
	});
	stub.answers.set("runs/r-1/stories/US-001/diff", {
		commits: [{ sha: "0123456789", subject: EVIL }],
		patch: `${PATCH}diff --git a/${EVIL} b/${EVIL}\n--- a/${EVIL}\n+++ b/${EVIL}\n@@ -1 +1 @@ ${EVIL}\n-${EVIL}\n+${EVIL}\n`,
	});
	stub.answers.set(
		"runs/r-1/stories/US-001/steps/step-2/log",
		logOf([...LOG, { type: "text", text: EVIL }, { type: EVIL, more: EVIL }, EVIL]),
	);
	stub.answers.set("journal r-1", [
		{ version: 1, at: 1, event: EVIL, scope: EVIL, step: EVIL, reason: EVIL, by: { user: EVIL, how: EVIL }, stories: [{ id: EVIL }] },
	]);
	stub.answers.set("workflows", [{ name: EVIL, title: EVIL }]);
}

/** Address, and the buttons that show more there. */
const SCREENS: readonly (readonly [string, readonly RegExp[]])[] = [
	["/", []],
	["/inbox", [/^notes/i, /^changes/i]],
	["/new", []],
	["/runs/r-1", []],
	["/runs/r-1/graph", []],
	["/runs/r-1/timeline", []],
	["/runs/r-1/cost", []],
	["/runs/r-1/journal", []],
	["/runs/r-1/stories/US-001", [/^output/i, /^attempts/i, /^checks/i, /^noticed/i, /^notes/i, /^diff/i]],
	["/runs/r-1/stories/US-001/steps/step-2", [/^thinking/i, /^bash/i]],
];

for (const [scheme, width] of [
	["light", 1440],
	["dark", 390],
] as const)
	test(`A-72 X-24: every screen with hostile text, ${scheme}, ${width} px: it stays text, axe finds nothing serious, nothing scrolls sideways`, async (t) => {
		const { view, questions } = hostile();
		const { page, stub, faults } = await setUp(t, [view], questions, { colorScheme: scheme, viewport: { width, height: 850 } });
		answerAll(stub, view);
		await page.evaluate("globalThis.__hit = 0; globalThis.alert = () => { globalThis.__hit++; }");
		const problems: string[] = [];
		for (const [path, more] of SCREENS) {
			await page.evaluate(`history.pushState(null, "", ${JSON.stringify(path)}); dispatchEvent(new PopStateEvent("popstate"))`);
			await seen(page.getByRole("heading", { level: 1 }));
			await gone(main(page).getByText("loading…"));
			for (const name of more) await main(page).getByRole("button", { name }).first().click();
			await gone(main(page).getByText("loading…"));
			assert.equal(await page.getByRole("heading", { level: 1 }).count(), 1, path);
			assert.equal(await page.locator("img, main script, a[href^='javascript'], [onerror]").count(), 0, path);
			const shown = await main(page).innerText();
			for (const code of ["\u001b", "[31m", "\u202e"]) assert.ok(!shown.includes(code), `${path} shows codes`);
			problems.push(...(await sideways(page, path)), ...(await axe(page, `${path}, ${scheme}`)));
		}
		assert.deepEqual(problems, []);
		assert.equal(await page.evaluate("globalThis.__hit"), 0);
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
	// Scrolling a long way takes no longer than a screen of lines.
	const took = await page.evaluate<number>(`new Promise((done) => {
		const list = document.querySelector(".long-list"); const from = performance.now(); let left = 20;
		const next = () => { list.scrollTop = (left * 7919 * 100) % list.scrollHeight; if (left-- > 0) requestAnimationFrame(next); else done(performance.now() - from); };
		next(); })`);
	assert.ok(took < 5_000, `20 jumps took ${Math.round(took)} ms`);
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
