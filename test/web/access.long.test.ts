// Whoever uses the page, and whatever is written in it: hostile text in every field stays text, axe finds nothing serious on any screen or
// dialog, light and dark, narrow and wide, and Tab reaches everything.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { axe, gone, LOOKS_RULES, launch, seen, sideways } from "./browser.ts";
import { attempt, detail, LOG, logOf, PATCH, question, run, type SampleRun, spent, step, story } from "./sample.ts";
import { main, setUpWith } from "./set-up.ts";
import type { Stub } from "./stub.ts";

let browser: Browser;
before(async () => {
	browser = await launch();
});
after(() => browser.close());

const setUp = setUpWith(() => browser);

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

const ATTEMPTS = /^attempts/i;

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
	["/runs/r-1/stories/US-001", [/^output/i, ATTEMPTS, /^checks/i, /^noticed/i, /^notes/i, /^diff/i]],
	["/runs/r-1/stories/US-001/steps/step-2", [/^thinking/i, /^bash/i]],
];

const LOOKS = (["light", "dark"] as const).flatMap((colorScheme) => [1440, 390].map((width) => ({ colorScheme, width })));

async function inEveryLook(page: Page, what: string): Promise<string[]> {
	const problems: string[] = [];
	for (const [i, { colorScheme, width }] of LOOKS.entries()) {
		await page.setViewportSize({ width, height: 850 });
		await page.emulateMedia({ colorScheme });
		const where = `${what}, ${colorScheme}, ${width} px`;
		problems.push(...(await sideways(page, where)), ...(await axe(page, where, i === 0 ? undefined : LOOKS_RULES)));
	}
	return problems;
}

async function show(page: Page, path: string, more: readonly RegExp[] = []): Promise<void> {
	await page.evaluate(`history.pushState(null, "", ${JSON.stringify(path)}); dispatchEvent(new PopStateEvent("popstate"))`);
	await seen(page.getByRole("heading", { level: 1 }));
	await gone(main(page).getByText("loading…"));
	for (const name of more) await main(page).getByRole("button", { name }).first().click();
	await gone(main(page).getByText("loading…"));
}

test("A-72 X-24: every screen with hostile text, light and dark, 1440 and 390 px: it stays text, axe finds nothing serious, nothing scrolls sideways", async (t) => {
	const { view, questions } = hostile();
	const { page, stub, faults } = await setUp(t, [view], questions);
	answerAll(stub, view);
	await page.evaluate("globalThis.__hit = 0; globalThis.alert = () => { globalThis.__hit++; }");
	const problems: string[] = [];
	for (const [path, more] of SCREENS) {
		await show(page, path, more);
		assert.equal(await page.getByRole("heading", { level: 1 }).count(), 1, path);
		assert.equal(await page.locator("img, main script, a[href^='javascript'], [onerror]").count(), 0, path);
		const shown = await main(page).innerText();
		for (const code of ["\u001b", "[31m", "\u202e"]) assert.ok(!shown.includes(code), `${path} shows codes`);
		problems.push(...(await inEveryLook(page, path)));
	}
	assert.deepEqual(problems, []);
	assert.equal(await page.evaluate("globalThis.__hit"), 0);
	assert.deepEqual(faults, []);
});

test("A-72: every dialog, light and dark, 1440 and 390 px: axe finds nothing serious, nothing scrolls sideways", async (t) => {
	const { view, questions } = hostile();
	const { page, faults } = await setUp(t, [{ ...view, status: "running", driven: true }], questions, { path: "/runs/r-1" });
	const problems: string[] = [];
	for (const name of ["Steer", "Extend", "Cancel", "Reject", "Keys"]) {
		await page.getByRole("button", { name, exact: true }).first().click();
		await seen(page.getByRole("dialog"));
		problems.push(...(await inEveryLook(page, name)));
		await page.keyboard.press("Escape");
		await gone(page.getByRole("dialog"));
	}
	assert.deepEqual(problems, []);
	assert.deepEqual(faults, []);
});

/** Marks what Tab reaches, and tells what it does not reach, or reaches without showing it. */
async function unreached(page: Page): Promise<string[]> {
	const FOCUSABLE = "a[href], button:not(:disabled), input, select, textarea, [tabindex='0']";
	const count = await page.evaluate<number>(`document.activeElement.blur(); document.querySelectorAll("${FOCUSABLE}").length`);
	const hidden: string[] = [];
	for (let i = 0; i <= count; i++) {
		await page.keyboard.press("Tab");
		const bare = await page.evaluate<string | null>(`(() => { const e = document.activeElement; e.dataset.reached = "yes";
			const shown = e === document.body || getComputedStyle(e).outlineStyle !== "none" || e.closest("svg"); return shown ? null : e.outerHTML.slice(0, 120); })()`);
		if (bare !== null) hidden.push(`no outline: ${bare}`);
	}
	const left = await page.evaluate<string[]>(
		`[...document.querySelectorAll("${FOCUSABLE}")].filter((e) => e.checkVisibility() && !e.dataset.reached && !(e.type === "radio" && !e.checked)).map((e) => e.outerHTML.slice(0, 120))`,
	);
	return [...hidden, ...left];
}

test("A-72: Tab reaches everything that can be done on every screen, and shows where it is", async (t) => {
	const view = run("r-1", { status: "waiting", driven: false, steps: [step("step-1", "plan", "completed")] });
	const { page, stub, faults } = await setUp(t, [view], [question(view)]);
	answerAll(stub, view);
	for (const [path, more] of SCREENS) {
		await show(page, path);
		// Comes a little later than the story itself.
		if (more.includes(ATTEMPTS)) await seen(main(page).getByRole("button", { name: ATTEMPTS }));
		assert.deepEqual(await unreached(page), [], path);
	}
	assert.deepEqual(faults, []);
});
