// A real Chromium for the tests of the page, one for each file of tests, and what they ask it.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, join } from "node:path";
import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from "playwright-core";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "chrome"];
const FLAGS = [
	"--no-sandbox",
	"--disable-gpu",
	"--disable-dev-shm-usage",
	"--disable-background-networking",
	"--disable-component-update",
	"--disable-sync",
	"--no-first-run",
];

function findBrowser(): string {
	const given = process.env["PAWL_BROWSER"];
	if (given !== undefined) return given;
	const folders = (process.env["PATH"] ?? "").split(delimiter).concat("/usr/bin");
	const found = NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find((file) => existsSync(file));
	if (found === undefined)
		throw new Error(
			"these tests need a Chromium: install Debian's package `chromium` (scripts/chromium.sh does), or name one in PAWL_BROWSER",
		);
	return found;
}

/** Only for what never comes: ten tabs on a busy machine, with a page that waits up to four seconds before it tries again, take their time. */
const LONGEST_MS = 60_000;

export const launch = (): Promise<Browser> => chromium.launch({ executablePath: findBrowser(), args: FLAGS });

/** A tab of a fresh profile; `faults` gathers what a clean page does not do. */
export interface Tab {
	readonly page: Page;
	readonly faults: string[];
	/** Another tab of the same profile. */
	another(url: string): Promise<Tab>;
	close(): Promise<void>;
}

export async function open(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Tab> {
	const context = await browser.newContext({ reducedMotion: "reduce", ...options });
	const tab = async (to: string): Promise<Tab> => {
		const page = await context.newPage();
		const faults: string[] = [];
		page.setDefaultTimeout(LONGEST_MS);
		page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
		page.on("console", (message) => {
			// What a page logs when a server is away or refuses is the browser's, not ours.
			if (message.type() === "error" && !/Failed to load resource|ERR_/.test(message.text())) faults.push(`console: ${message.text()}`);
		});
		page.on("request", (request) => {
			if (new URL(request.url()).origin !== new URL(to).origin) faults.push(`request to ${request.url()}`);
		});
		await page.goto(to);
		return { page, faults, another: tab, close: () => context.close() };
	};
	return tab(url);
}

export const seen = (locator: Locator, ms = LONGEST_MS): Promise<void> => locator.first().waitFor({ state: "visible", timeout: ms });

export const gone = (locator: Locator, ms = LONGEST_MS): Promise<void> => locator.first().waitFor({ state: "detached", timeout: ms });

export const heading = (page: Page, name: string | RegExp): Locator => page.getByRole("heading", { level: 1, name });

export const connection = (page: Page, word: string): Locator => page.getByRole("status", { name: "Connection" }).filter({ hasText: word });

export const to = (url: string, path: string): string => new URL(path, url).href;

/** No screen may scroll sideways: says by how much it does, and which elements stick out. */
export async function sideways(page: Page, where: string): Promise<string[]> {
	const over = await page.evaluate<number>("document.scrollingElement.scrollWidth - document.documentElement.clientWidth");
	if (over <= 0) return [];
	const out = await page.evaluate<string>(
		"[...document.querySelectorAll('main *')].filter((e) => e.getBoundingClientRect().right > document.documentElement.clientWidth + 1).map((e) => e.tagName + '.' + e.className).slice(0, 8).join(' ')",
	);
	return [`${where} scrolls sideways by ${over} px: ${out}`];
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What depends on colours and sizes, and not only on the elements. */
export const LOOKS_RULES = ["color-contrast", "link-in-text-block", "scrollable-region-focusable", "target-size"];

/** axe-core's serious and critical findings, of all rules or of these. The page's policy forbids foreign scripts, so it is put in from outside of it. */
export async function axe(page: Page, where: string, rules?: readonly string[]): Promise<string[]> {
	const client = await page.context().newCDPSession(page);
	const ask = async (expression: string): Promise<unknown> => {
		const { result, exceptionDetails } = await client.send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
		assert.equal(exceptionDetails, undefined, exceptionDetails?.exception?.description);
		return result.value;
	};
	await ask(`${axeSource};0`);
	const found = await ask(
		`axe.run(document,{resultTypes:["violations"]${rules ? `,runOnly:{type:"rule",values:${JSON.stringify(rules)}}` : ""}}).then(r=>r.violations.filter(v=>["serious","critical"].includes(v.impact)).map(v=>v.id+": "+v.nodes.slice(0,3).map(n=>n.target.join(" ")+" "+n.failureSummary).join(" | ")))`,
	);
	await client.detach();
	return (found as string[]).map((one) => `${where}: ${one}`);
}
