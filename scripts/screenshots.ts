// Pictures of every screen for docs/ui.md, made from demo runs with scripted agents: node scripts/screenshots.ts [FOLDER]. With a folder, it
// only looks at the runs there. Needs a Chromium and a built page.
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { connection, launch, open, seen } from "../test/web/browser.ts";

const root = join(import.meta.dirname, "..");
const pawl = join(root, "bin", "pawl");
const pictures = join(root, "docs", "ui");

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

function demo(folder: string): string {
	const { stderr, status } = spawnSync(pawl, ["demo", "--json"], { encoding: "utf8", env: { ...process.env, TMPDIR: folder } });
	if (status !== 0) throw new Error(stderr.slice(-1_000));
	const started = stderr.split("\n").find((line) => line.includes('"demo_started"'));
	return (JSON.parse(started ?? "{}") as { folder: string }).folder;
}

/** Adds a run that waits for a person. */
function ask(repository: string): void {
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

interface Shot {
	readonly name: string;
	readonly path: string;
	readonly act?: (page: Page) => Promise<void>;
}

const click = (name: RegExp) => (page: Page) => page.getByRole("main").getByRole("button", { name }).first().click();

function shotsOf(run: string, story: string, step: string): readonly Shot[] {
	const at = `/runs/${run}`;
	return [
		{ name: "runs", path: "/" },
		{ name: "run", path: at },
		{ name: "graph", path: `${at}/graph` },
		{ name: "timeline", path: `${at}/timeline` },
		{ name: "cost", path: `${at}/cost` },
		{ name: "journal", path: `${at}/journal` },
		{ name: "story", path: `${at}/stories/${story}` },
		{
			name: "diff",
			path: `${at}/stories/${story}`,
			act: async (page) => {
				await click(/^diff/i)(page);
				await page.getByText("what it changed").scrollIntoViewIfNeeded();
				await seen(page.locator(".diff"));
				await page.evaluate("document.querySelector('#changes').scrollIntoView(); scrollBy(0, -60)");
			},
		},
		{ name: "session", path: `${at}/stories/${story}/steps/${step}` },
		{
			name: "inbox",
			path: "/inbox",
			act: async (page) => {
				await click(/^changes/i)(page);
				await seen(page.locator(".diff"));
			},
		},
		{ name: "new-run", path: "/new" },
	];
}

const given = process.argv[2];
const scratch = mkdtempSync(join(tmpdir(), "pawl-pictures-"));
try {
	const repository = given ?? demo(scratch);
	if (given === undefined) ask(repository);
	mkdirSync(pictures, { recursive: true });
	await takeAll(repository);
} finally {
	rmSync(scratch, { recursive: true, force: true });
}

async function takeAll(repository: string): Promise<void> {
	const server = spawn(pawl, ["ui", "--json", "--no-open"], { cwd: repository, stdio: ["ignore", "pipe", "inherit"] });
	const browser = await launch();
	try {
		const line = await new Promise<string>((done) => server.stdout.once("data", (data: Buffer) => done(data.toString())));
		const { url, token } = JSON.parse(line) as { readonly url: string; readonly token: string };
		const headers = { Authorization: `Bearer ${token}` };
		const rows = (await (await fetch(new URL("/api/v1/runs", url), { headers })).json()) as { run: string; workflow: string }[];
		const run = rows.find((row) => row.workflow !== "asking")?.run ?? "";
		const stories = (await (await fetch(new URL(`/api/v1/runs/${run}/stories`, url), { headers })).json()) as Story[];
		// One with something to tell: it was sent back on its way.
		const story = stories.find((one) => one.steps.some((step) => step.attempt > 1)) ?? stories[0];
		const step = story?.steps.find((one) => one.type === "coding") ?? story?.steps[0];
		for (const look of [
			{ suffix: "", colorScheme: "light", viewport: { width: 1280, height: 800 } },
			{ suffix: "-dark", colorScheme: "dark", viewport: { width: 1280, height: 800 } },
			{ suffix: "-narrow", colorScheme: "dark", viewport: { width: 390, height: 780 } },
		] as const) {
			const tab = await open(browser, url, { colorScheme: look.colorScheme, viewport: look.viewport, timezoneId: "UTC" });
			await seen(connection(tab.page, "live"));
			for (const { name, path, act } of shotsOf(run, story?.id ?? "", step?.id ?? "")) {
				await tab.page.goto(new URL(path, url).href);
				await seen(connection(tab.page, "live"));
				await tab.page.getByText("loading…").first().waitFor({ state: "detached" });
				await act?.(tab.page);
				await tab.page.screenshot({ path: join(pictures, `${name}${look.suffix}.png`) });
			}
			await tab.close();
		}
	} finally {
		await browser.close();
		server.kill("SIGTERM");
	}
}
