// The dashboard of a database that machines share, in a real browser, with a real worker at the other end: whoever looks sees who works, and what they decide counts.
import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { site, until } from "../support/machines.ts";
import { asked, withoutPostgres } from "../support/postgres.ts";
import { axe, heading, launch, open, seen } from "./browser.ts";

const WORKFLOW = `name: sign
title: Signed by a person
inputs: [prd]
workspace: worktree
steps: [stories]
story: [coding, sign, merge]
types:
  coding: {prompt: Do it.}
  sign: {approval: person, description: Does it go in?, on: {approved: next, rejected: {goto: coding, max: 3/story, exhausted: fail}}}
  merge: {action: merge}
`;

const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).first().click();

describe("the dashboard of several machines", { skip: withoutPostgres }, () => {
	let browser: Browser;
	before(async () => {
		browser = await launch();
	});
	after(() => browser.close());

	test("it shows who works; steer, reject, approve, retry and cancel reach the worker", async () => {
		const s = await site("US-1", "BAD");
		mkdirSync(s.wait);
		mkdirSync(join(s.me, ".pawl", "workflows", "sign"), { recursive: true });
		writeFileSync(join(s.me, ".pawl", "workflows", "sign", "workflow.yml"), WORKFLOW);
		const worker = s.worker("a");
		const start = async (): Promise<string> => {
			const agent = ["--agent", "command", "--agent-command", join(s.me, "agent.sh")];
			const { code, all, stdout } = await s.pawl("run", "sign", "--prd", "prd.json", "--agents", "2", ...agent, "--no-checks", "--detach")
				.done;
			assert.equal(code, 0, all);
			return stdout.trim();
		};
		const run = await start();
		const told = async (event: string, id = run): Promise<number> =>
			(await asked(s.url, `SELECT 1 FROM pawl.events WHERE run_id = '${id}' AND event = '${event}'`)).length;
		await until("coding of both", () => new Set(s.begun()).size === 2);
		const ui = s.pawl("ui", "--no-open", "--json");
		await until("the dashboard", () => ui.said().includes("}\n"));
		const { url } = JSON.parse(
			ui
				.said()
				.split("\n")
				.find((line) => line.startsWith("{")) ?? "{}",
		) as { url: string };
		const { page, faults, close } = await open(browser, url);
		after(close);

		await page.getByRole("link", { name: "Machines" }).click();
		await seen(heading(page, "Machines"));
		const workers = page.getByRole("region", { name: "Workers" });
		for (const text of ["US-1", "BAD", "2 of 2", "working"]) await seen(workers.getByText(text));
		await seen(page.getByRole("region", { name: "Accounts" }));
		assert.deepEqual(await axe(page, "machines"), []);

		await page.getByRole("link", { name: "Runs" }).click();
		await page.getByRole("main").getByRole("link", { name: "x", exact: true }).click();
		await press(page, "Steer");
		await page.getByRole("dialog").getByRole("textbox").fill("be quick");
		await page.getByRole("dialog").getByRole("button", { name: "Steer" }).click();
		await until("what they said", async () => (await told("run_steered")) === 1);
		writeFileSync(join(s.wait, "go"), "");

		await page.getByRole("link", { name: "Inbox" }).click();
		await press(page, "Reject");
		await page.getByRole("dialog").getByRole("textbox").fill("once more");
		await page.getByRole("dialog").getByRole("button", { name: "Reject" }).click();
		await until("coding once more", () => s.begun().filter((id) => id === "US-1").length === 2);
		await press(page, "Approve");
		await until("the story on base", () => s.landed().includes("US-1"));

		await page.getByRole("link", { name: "Runs" }).click();
		await page.getByRole("main").getByRole("link", { name: "x", exact: true }).click();
		await seen(page.getByText("failed"));
		await press(page, "Retry");
		await until("another try", async () => (await told("story_retried")) > 0);
		assert.deepEqual(s.landed(), ["US-1"]);

		rmSync(join(s.wait, "go"));
		s.plan(["US-2"]);
		const second = await start();
		await until("coding of the next", () => s.begun().includes("US-2"));
		await page.goto(new URL(`/runs/${second}`, url).href);
		await press(page, "Cancel");
		await press(page, "Cancel the run");
		await until(
			"its end",
			async () => (await asked(s.url, `SELECT status FROM pawl.runs WHERE id = '${second}'`))[0]?.["status"] === "cancelled",
		);
		assert.deepEqual(faults, []);
		ui.child.kill("SIGTERM");
		await ui.done;
		worker.child.kill("SIGTERM");
		assert.equal((await worker.done).code, 0);
	});
});
