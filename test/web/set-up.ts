// A tab of the page with runs of a stub behind it.
import type { TestContext } from "node:test";
import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core";
import { connection, open, seen, type Tab, to } from "./browser.ts";
import { type SampleRun, serve } from "./sample.ts";
import { Stub } from "./stub.ts";

export type Shown = Tab & { readonly stub: Stub };
export type SetUp = (
	t: TestContext,
	views: readonly SampleRun[],
	questions?: readonly object[],
	options?: BrowserContextOptions & { path?: string },
) => Promise<Shown>;

/** The browser may be launched later. */
export const setUpWith =
	(browser: () => Browser): SetUp =>
	async (t, views, questions = [], { path = "/", ...context } = {}) => {
		const stub = await new Stub().start();
		t.after(() => stub.stop());
		serve(stub, views, questions);
		const tab = await open(browser(), `${to(stub.url, path)}#token=${stub.token}`, context);
		t.after(() => tab.close());
		await seen(connection(tab.page, "live"));
		return { ...tab, stub };
	};

export const main = (page: Page): Locator => page.getByRole("main");
