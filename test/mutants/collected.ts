// Stands in for node:test: collects the tests of a file instead of running them, so that one process can run the same test for one mutant
// after the other. It has as much of node:test as the tests use.
import type { TestContext } from "node:test";

type Body = (t: TestContext) => unknown;
type Hook = () => unknown;

interface Group {
	readonly name: string;
	readonly outer: Group | null;
	readonly before: Hook[];
	readonly after: Hook[];
	readonly beforeEach: Hook[];
	readonly afterEach: Hook[];
	begun: Promise<void> | null;
}

export interface Collected {
	readonly file: string;
	readonly name: string;
	/** Rejects if the test fails. */
	readonly run: () => Promise<void>;
}

const found: Collected[] = [];
const groups: Group[] = [];
let file = "";
let current: Group | null = null;

function group(name: string, outer: Group | null): Group {
	const made: Group = { name, outer, before: [], after: [], beforeEach: [], afterEach: [], begun: null };
	groups.push(made);
	return made;
}

/** The tests of a file; importing it is the caller's part. */
export async function collect(path: string, load: () => Promise<unknown>): Promise<readonly Collected[]> {
	file = path;
	current = group(path, null);
	found.length = 0;
	await load();
	current = null;
	return [...found];
}

/** What `after` of files and groups that ran a test asked for. */
export async function cleanUp(): Promise<void> {
	for (const { begun, after: hooks } of groups.reverse()) if (begun !== null) for (const hook of hooks) await hook();
}

const outwards = (inner: Group | null): Group[] => (inner === null ? [] : [inner, ...outwards(inner.outer)]);

interface Options {
	readonly skip?: boolean | string;
	readonly todo?: boolean | string;
}

function args(rest: readonly unknown[]): { readonly name: string; readonly options: Options; readonly body: Body | undefined } {
	const name = rest.find((one) => typeof one === "string") ?? "";
	const options = (rest.find((one) => typeof one === "object" && one !== null) ?? {}) as Options;
	return { name, options, body: rest.find((one) => typeof one === "function") as Body | undefined };
}

const left = (options: Options): boolean => Boolean(options.skip ?? options.todo);

function add(...rest: unknown[]): Promise<void> {
	const { name, options, body } = args(rest);
	if (body === undefined || left(options)) return Promise.resolve();
	const inside = outwards(current);
	const full = [...inside.slice(0, -1).map((one) => one.name), name];
	found.push({ file, name: full.join(" > "), run: () => runIn(inside, name, body) });
	return Promise.resolve();
}

async function runIn(inside: readonly Group[], name: string, body: Body): Promise<void> {
	for (const one of inside.toReversed()) {
		one.begun ??= (async () => {
			for (const hook of one.before) await hook();
		})();
		await one.begun;
	}
	for (const one of inside.toReversed()) for (const hook of one.beforeEach) await hook();
	try {
		await runOne(name, body);
	} finally {
		for (const one of inside) for (const hook of one.afterEach) await hook();
	}
}

async function runOne(name: string, body: Body): Promise<void> {
	const after: Hook[] = [];
	const ended = new AbortController();
	const subtests: Promise<void>[] = [];
	const t = {
		name,
		signal: ended.signal,
		mock: process.getBuiltinModule("node:test").mock,
		after: (hook: Hook) => void after.push(hook),
		diagnostic: () => {},
		skip: () => {},
		todo: () => {},
		test: (...rest: unknown[]) => {
			const inner = args(rest);
			if (inner.body === undefined || left(inner.options)) return Promise.resolve();
			const ran = runOne(inner.name, inner.body);
			subtests.push(ran);
			return ran;
		},
	};
	try {
		await body(t as unknown as TestContext);
		await Promise.all(subtests);
	} finally {
		for (const hook of after) await hook();
		ended.abort();
	}
}

function addGroup(...rest: unknown[]): Promise<void> {
	const { name, options, body } = args(rest);
	if (body === undefined || left(options)) return Promise.resolve();
	const outer = current;
	current = group(name, outer);
	(body as () => void)();
	current = outer;
	return Promise.resolve();
}

const none = (): Promise<void> => Promise.resolve();
const variants = { skip: none, todo: none };
const hook = (kind: "before" | "after" | "beforeEach" | "afterEach") => (body: Hook) => void current?.[kind].push(body);

export const test = Object.assign(add, variants);
export const it = test;
export const describe = Object.assign(addGroup, variants);
export const suite = describe;
export const before = hook("before");
export const after = hook("after");
export const beforeEach = hook("beforeEach");
export const afterEach = hook("afterEach");
export const mock = process.getBuiltinModule("node:test").mock;
// biome-ignore lint/style/noDefaultExport: node:test has one.
export default test;
