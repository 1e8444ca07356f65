// Pictures of every screen for docs/ui.md, made from demo runs with scripted agents: node scripts/screenshots.ts. It needs a Chromium and a built page.
// With a folder as its argument it puts every screen there in every look, to look at: light and dark, wide and narrow.
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { connection, launch, open, seen } from "../test/web/browser.ts";

const root = join(import.meta.dirname, "..");
const pawl = join(root, "bin", "pawl");
const everything = process.argv[2];
const pictures = everything ?? join(root, "docs", "ui");

/** A workflow that asks a person, for the inbox. */
const ASKING = `name: asking
title: Asks before it merges
inputs:
  prd: {reader: prd, workspace: worktree}
roles:
  developer: {can: [run, commit], report: {notes: text}}
steps: [stories]
types:
  stories: {description: The stories, each: {concurrency: $agents, order: list, on_failure: block, steps: [coding, agree, merge]}}
  coding: {description: Build it, role: developer, writes: any}
  agree: {description: "Look at the changes: may they be merged?", approval: person, on: {approved: next, rejected: {goto: coding, max: 3/story, exhausted: fail story}}}
  merge: {description: Merge it, action: merge, internal: true, by: engine, signals: [merged, empty, conflict, checks_failed, dirty], on: {merged: next, "empty|conflict|checks_failed|dirty": fail story}}
on:
  done: next
  unreadable: fail story
  "*": fail story
`;
const SCRIPT = `steps:
  - on: {type: coding}
    do:
      - write: {path: "src/greeting.ts", content: "/** Says hello to somebody. */\\nexport const greeting = (name: string): string => \`Hello, \${name}!\`;\\n"}
      - commit: "Add a greeting"
      - say: "I added a greeting with its comment. The tests pass."
`;

/** Begins the demo; its folder, and its end. */
function demo(folder: string): Promise<{ readonly repository: string; readonly ended: Promise<void> }> {
	const child = spawn(pawl, ["demo", "--json"], { stdio: ["ignore", "ignore", "pipe"], env: { ...process.env, TMPDIR: folder } });
	const ended = new Promise<void>((done, fail) =>
		child.once("exit", (code) => (code === 0 ? done() : fail(new Error(`the demo ended with ${code}`)))),
	);
	return new Promise((done) => {
		let said = "";
		child.stderr.on("data", (data: Buffer) => {
			said += data.toString();
			const line = said.split("\n").find((one) => one.includes('"demo_started"'));
			if (line !== undefined) done({ repository: (JSON.parse(line) as { folder: string }).folder, ended });
		});
	});
}

/** Adds a run that waits for a person. */
function waitForAnswer(repository: string): void {
	const workflow = join(repository, ".pawl", "workflows", "asking");
	mkdirSync(join(workflow, "prompts"), { recursive: true });
	writeFileSync(join(workflow, "workflow.yml"), ASKING);
	writeFileSync(join(workflow, "prompts", "coding.md"), "# {{story_title}}\n\n{{story_description}}\n");
	const script = join(workflow, "script.yml");
	writeFileSync(script, SCRIPT);
	const prd = join(workflow, "prd.json");
	const story = {
		id: "US-007",
		title: "Greet people by their name",
		description: "A visitor is greeted.",
		acceptanceCriteria: ["The greeting holds the name"],
		priority: 1,
	};
	writeFileSync(
		prd,
		JSON.stringify({
			project: "A friendlier shop",
			branchName: "main",
			description: "A friendlier shop",
			userStories: [{ ...story, passes: false, notes: "" }],
		}),
	);
	const args = ["run", "asking", "--prd", prd, "--agent", "scripted", "--script", script, "--quiet"];
	const { status, stderr } = spawnSync(pawl, args, { cwd: repository, encoding: "utf8" });
	if (status !== 3) throw new Error(`it did not come to its question: ${status} ${stderr}`);
}

interface Story {
	readonly id: string;
	readonly steps: readonly { readonly id: string; readonly type: string; readonly attempt: number }[];
}

interface Row {
	readonly run: string;
	readonly workflow: string;
	readonly progress: { readonly percent: number } | null;
}

interface Look {
	/** Added to the name of the picture. */
	readonly name: string;
	readonly colorScheme: "light" | "dark";
	readonly viewport: { readonly width: number; readonly height: number };
}

const WIDE = { width: 1440, height: 860 };
const NARROW = { width: 390, height: 780 };
const LOOKS: readonly Look[] = [
	{ name: "", colorScheme: "light", viewport: WIDE },
	{ name: "-dark", colorScheme: "dark", viewport: WIDE },
	{ name: "-narrow", colorScheme: "light", viewport: NARROW },
	{ name: "-narrow-dark", colorScheme: "dark", viewport: NARROW },
];

interface Shot {
	readonly name: string;
	readonly path: string;
	/** The documents show it on a narrow screen, too. */
	readonly narrow?: true;
	readonly act?: (page: Page) => Promise<void>;
	/** Brings the right part into sight, after every change of the look. */
	readonly aim?: string;
}

const click = (name: RegExp) => (page: Page) => page.getByRole("main").getByRole("button", { name }).first().click();

/** While the demo goes on. */
const during = (run: string): readonly Shot[] => [
	{ name: "run", path: `/runs/${run}`, narrow: true },
	{ name: "graph", path: `/runs/${run}/graph` },
];

function afterwards(run: string, story: string, step: string): readonly Shot[] {
	const at = `/runs/${run}`;
	const open = (name: RegExp) => async (page: Page) => {
		await click(name)(page);
		await seen(page.locator(".diff"));
		await page.mouse.move(0, 0);
	};
	return [
		{ name: "runs", path: "/", narrow: true },
		{ name: "timeline", path: `${at}/timeline` },
		{ name: "cost", path: `${at}/cost` },
		{ name: "journal", path: `${at}/journal` },
		{ name: "story", path: `${at}/stories/${story}` },
		{
			name: "diff",
			path: `${at}/stories/${story}`,
			act: open(/^diff/i),
			aim: "document.querySelector('#changes').scrollIntoView(); scrollBy(0, -60)",
		},
		{ name: "session", path: `${at}/stories/${story}/steps/${step}` },
		{ name: "inbox", path: "/inbox", narrow: true, act: open(/^changes/i) },
		{ name: "new-run", path: "/new" },
	];
}

class Camera {
	private readonly browser: Browser;
	private readonly url: string;

	constructor(browser: Browser, url: string) {
		this.browser = browser;
		this.url = url;
	}

	async take(shots: readonly Shot[]): Promise<void> {
		const { page, close } = await open(this.browser, this.url, { viewport: WIDE, timezoneId: "UTC" });
		await seen(connection(page, "live"));
		for (const { name, path, narrow, act, aim } of shots) {
			await page.goto(new URL(path, this.url).href);
			await seen(connection(page, "live"));
			await seen(page.getByRole("heading", { level: 1 }));
			await page.getByText("loading…").first().waitFor({ state: "detached" });
			await act?.(page);
			for (const look of LOOKS) {
				if (look.viewport === NARROW && !narrow && everything === undefined) continue;
				await page.setViewportSize(look.viewport);
				await page.emulateMedia({ colorScheme: look.colorScheme });
				if (aim !== undefined) await page.evaluate(aim);
				await page.screenshot({ path: join(pictures, `${name}${look.name}.png`) });
			}
			await page.setViewportSize(WIDE);
		}
		await close();
	}
}

async function takeAll(repository: string, ended: Promise<void>): Promise<void> {
	const server = spawn(pawl, ["ui", "--json", "--no-open"], { cwd: repository, stdio: ["ignore", "pipe", "inherit"] });
	const browser = await launch();
	try {
		const line = await new Promise<string>((done) => server.stdout.once("data", (data: Buffer) => done(data.toString())));
		const { url, token } = JSON.parse(line) as { readonly url: string; readonly token: string };
		const ask = async <T>(path: string): Promise<T> =>
			(await (await fetch(new URL(`/api/v1/${path}`, url), { headers: { Authorization: `Bearer ${token}` } })).json()) as T;
		const camera = new Camera(browser, url);
		let row: Row | undefined;
		while ((row?.progress?.percent ?? 0) < 45) {
			await new Promise((again) => setTimeout(again, 200));
			[row] = await ask<Row[]>("runs");
		}
		const run = row?.run ?? "";
		await camera.take(during(run));
		await ended;
		waitForAnswer(repository);
		const stories = await ask<Story[]>(`runs/${run}/stories`);
		// One with something to tell: it was sent back on its way.
		const story = stories.find((one) => one.steps.some((step) => step.attempt > 1)) ?? stories[0];
		const step = story?.steps.find((one) => one.type === "coding") ?? story?.steps[0];
		await camera.take(afterwards(run, story?.id ?? "", step?.id ?? ""));
	} finally {
		await browser.close();
		server.kill("SIGTERM");
	}
}

const scratch = mkdtempSync(join(tmpdir(), "pawl-pictures-"));
try {
	const { repository, ended } = await demo(scratch);
	mkdirSync(pictures, { recursive: true });
	await takeAll(repository, ended);
} finally {
	rmSync(scratch, { recursive: true, force: true });
}
