// The recordings that are kept, unpacked for a test.
import { globSync } from "node:fs";
import { join } from "node:path";
import { type Ended, PROJECT, pawl } from "../support/pawl.ts";
import { read, scratchFolder } from "../support/scratch.ts";
import { type Commits, type Expected, unpack } from "./fixture.ts";

export interface Kept {
	/** `0.1/feature-dev.cut-off` */
	readonly name: string;
	readonly expected: Expected;
	/** Into a folder of its own. */
	open(): Opened;
}

export interface Opened {
	readonly root: string;
	readonly repo: string;
	pawl(...args: string[]): Promise<Ended>;
	/** With this on stdin. */
	feed(input: string, ...args: string[]): Promise<Ended>;
}

const folder = import.meta.dirname;

export const KEPT: readonly Kept[] = globSync("*/*.json", { cwd: folder })
	.map((file) => file.replace(/\.json$/, ""))
	.sort()
	.map((name) => {
		const expected = JSON.parse(read(folder, `${name}.json`)) as Expected;
		const open = (): Opened => {
			const root = scratchFolder("journal");
			unpack(join(folder, `${name}.tar.gz`), root, PROJECT);
			const where = { cwd: join(root, expected.cwd), env: { HOME: join(root, "home"), GIT_CONFIG_GLOBAL: "/dev/null" } };
			const feed: Opened["feed"] = (input, ...args) => pawl(args, where, input);
			return { root, repo: join(root, "project"), feed, pawl: (...args) => feed("", ...args) };
		};
		return { name, expected, open };
	});

/** Stories side by side may land in any order. */
export const orderless = (commits: Commits): Commits =>
	Object.fromEntries(Object.entries(commits).map(([branch, subjects]) => [branch, subjects.toSorted()]));
