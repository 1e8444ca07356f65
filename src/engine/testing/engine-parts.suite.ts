// The parts of a test's engine: the real actions, keepers, evidence and projections, and in-memory stand-ins for the rest. Every call
// goes through the life of the process that makes it.
import { mkdirSync } from "node:fs";
import type { CheckResult } from "../../core/input.ts";
import type { RunState } from "../../core/model.ts";
import { own } from "../../core/query.ts";
import { formats } from "../../format/all.ts";
import type { Keeper, Projection } from "../../format.ts";
import { proofOf } from "../../runs/receipt/proof.ts";
import type { Store, Travelling } from "../../store.ts";
import { services } from "../../wiring.ts";
// Loaded when they are first used; here before that, since the clock does not know that something is being loaded and would go on.
import "../actions/checks.ts";
import "../actions/commit.ts";
import "../actions/merge.ts";
import "../actions/pull-request.ts";
import "../actions/tidy.ts";
import "../on-base.ts";
import type { Repository, Workspace } from "../../workspace.ts";
import type { CheckSettings, Processes } from "../attempt/checks.ts";
import type { EngineParts } from "../parts.ts";
import { type Cast, castAgent, partOf } from "./cast.suite.ts";
import type { Files } from "./files.suite.ts";
import type { Harness } from "./harness.suite.ts";
import type { Life } from "./life.suite.ts";
import type { Checkout } from "./memory-checkout.suite.ts";
import type { MemoryRepository } from "./memory-repository.suite.ts";
import { turnOf } from "./turn.suite.ts";

/** An exit code, perhaps with the output. */
export type Checked = number | { readonly exitCode: number | null; readonly output?: string };
/** `signal`: the run wants it to end. */
export type Check = (files: Files, checkout: Checkout, signal: AbortSignal) => Checked | Promise<Checked>;
/** The result of a shell command; undefined: the test does not know the command. */
export type Commands = (command: string, files: Files) => Checked | undefined;

/** The name of the boundary around a call; null if the call only looks or answers at once. Every method of the contract must be listed. */
type Boundaries<T> = Readonly<Record<keyof T, string | null>>;

export const STORE: Boundaries<Store & Travelling> = {
	addLog: "add log",
	logs: null,
	readLog: null,
	files: null,
	commit: "commit",
	update: "commit",
	settle: "settle",
	events: null,
	pending: null,
	runs: null,
	summary: null,
	post: "post",
	inbox: null,
	claims: null,
	claim: null,
	watch: null,
	lease: null,
	holder: null,
	seenAt: null,
	remove: null,
	close: null,
};

const REPOSITORY: Boundaries<Repository> = {
	root: null,
	checkout: null,
	branch: null,
	commitsOfOthers: null,
	dirty: null,
	exclude: "exclude",
	noteSettings: null,
	useSettings: null,
	dropSettings: null,
	hideOwnWrites: null,
	showOwnWrites: null,
	tree: null,
	holdTree: null,
	freeTree: null,
	clearLocks: null,
	packRefs: null,
	startBranch: null,
	makeBranch: null,
	watchRefs: null,
	hasBranch: null,
	commitOf: null,
	commits: null,
	anonymous: null,
	standing: null,
	keptRefs: null,
	undo: null,
	findCommit: null,
	notes: null,
	addNotes: null,
	removeKeptRefs: null,
	subjects: null,
	diff: null,
	claim: "claim",
	reopen: "reopen",
	release: "release",
	close: "close worktrees",
	fresh: null,
	confineSetup: null,
	gitPlaces: null,
	openBranch: "open branch",
	closeBranch: "close branch",
	remote: null,
	defaultBranch: null,
	remoteHas: null,
	push: "push",
	changedPaths: null,
	holds: null,
	stack: "stack",
	merge: "merge",
};

const WORKSPACE: Boundaries<Workspace> = {
	path: null,
	branch: null,
	point: null,
	sessionEnv: null,
	clearLocks: null,
	letGo: null,
	recall: null,
	commitsOfOthers: null,
	changes: null,
	saveDiff: "save diff",
	rollback: "rollback",
	revert: "revert",
	commitAll: "commit work",
	keepLeftovers: "commit work",
	putLitterAside: "put litter aside",
	discard: "discard",
	fold: "fold",
	markersSince: null,
	read: null,
};

export function partsOf(harness: Harness, life: Life, repository: MemoryRepository): EngineParts {
	const { checks = {} } = harness.options;
	mkdirSync(harness.sharedDir, { recursive: true });
	const agentOf = (name: string, cast: Cast) => {
		const agent = castAgent(name, (request, signal) => {
			const { story, step, type, role, attempt } = request.who;
			const { prompt, cwd, session, env } = request;
			const turn = turnOf(harness, life, { story, step, type, role, attempt, prompt, session, env, cwd, signal });
			return { part: partOf(cast, turn), turn };
		});
		return { agent: life.wrap(agent, { run: "agent" }), model: null };
	};
	const { cast, standIn } = harness.options;
	const first = agentOf("cast", cast);
	const others = standIn === undefined ? [] : [agentOf("stand-in", standIn)];
	return {
		sharedDir: harness.sharedDir,
		repository: seen(life, repository),
		agentsFor: () => [first, ...others],
		actions: wrapEach(life, { ...services.actions, ...harness.options.actions }),
		evidence: wrapEach(life, services.evidence),
		keepers: Object.fromEntries(Object.entries(services.keepers).map(([name, keeper]) => [name, life.wrap<Keeper>(keeper, {})])),
		writeRules: wrapEach(life, services.writeRules),
		controlFiles: Object.fromEntries(
			Object.entries(services.controlFiles).map(([name, files]) => [name, life.wrap(files, { clear: "clear control files" })]),
		),
		projections: (state) => projectionsOf(harness, state).map((projection) => life.wrap(projection, { write: "projection" }, ["apply"])),
		checks: Object.fromEntries(Object.keys(checks).map((name) => [name, name])),
		hints: { lint: null, test: null },
		env: harness.options.env ?? {},
		secrets: harness.secrets,
		...(harness.options.logMax === undefined ? {} : { logMax: harness.options.logMax }),
		keepBrought: async (_, { output, logMax = output.length }) => ({ cut: Math.max(0, output.length - logMax) }),
		stallMs: null,
		isolate: false,
		clock: life.clock,
		processes: processesOf(harness, life),
		forges: (harness.options.forges ?? []).map((forge) => life.wrap(forge, { open: "forge", comment: "forge comment" }, ["serves"])),
		proofOf: async (state) => proofOf(state, await harness.events()),
		promptAdditions: (of) => life.look(() => services.promptAdditions(of)),
		sessionEnv: services.sessionEnv,
		userFiles: services.userFiles,
		notify: (notice) =>
			life.through("notify", () => {
				harness.notices.push(notice);
			}),
		onWarning: (text) => harness.warnings.push(text),
		crashPoint: life.point,
	};
}

function seen(life: Life, repository: MemoryRepository): Repository {
	const wrapped = life.wrap<Repository>(repository, REPOSITORY, ["tree", "holdTree", "freeTree"]);
	const workspace = <T extends Workspace | null>(of: T): T => (of === null ? of : life.wrap(of, WORKSPACE));
	return new Proxy(wrapped, {
		get: (of, key) => {
			const value: unknown = Reflect.get(of, key, of);
			if (key === "tree") return () => workspace(repository.tree());
			if (key !== "claim" && key !== "reopen" && key !== "openBranch") return value;
			return async (...given: unknown[]) => workspace((await (value as (...g: unknown[]) => Promise<Workspace | null>)(...given)) ?? null);
		},
	});
}

function wrapEach<A extends readonly unknown[], R>(
	life: Life,
	functions: Readonly<Record<string, (...given: A) => Promise<R>>>,
): Record<string, (...given: A) => Promise<R>> {
	const entries = Object.entries(functions).map(
		// With what the function carries besides.
		([name, work]) => [name, Object.assign((...given: A): Promise<R> => life.look(() => work(...given)), work)] as const,
	);
	return Object.fromEntries(entries);
}

/** Their locks are files of SQLite, which a single writer does not need. */
function projectionsOf({ sharedDir, site, warnings }: Harness, state: RunState): Projection[] {
	const lock = () => ({ release: () => {} });
	const warn = (text: string) => void warnings.push(text);
	return state.definition.projections.flatMap((name) => {
		const kind = formats.map((format) => own(format.projections ?? {}, name)).find((found) => found !== undefined);
		return kind?.open({ state, sharedDir, root: site.root, lock, warn }) ?? [];
	});
}

function processesOf(harness: Harness, life: Life): Processes {
	const { options, site, swept, proved } = harness;
	const { checks = {}, commands = () => undefined } = options;
	const run = async (name: string, command: string, { cwd, signal }: CheckSettings): Promise<CheckResult> => {
		const checkout = harness.checkoutAt(cwd);
		const { files } = checkout;
		const tree = site.git.keep(checkout.look());
		const own = Object.hasOwn(checks, command) ? checks[command] : undefined;
		const said = own === undefined ? (commands(command, files) ?? usual(command, files)) : await own(files, checkout, signal);
		if (said === undefined) throw new Error(`the test does not say what the command \`${command}\` (${name}) comes to`);
		const { exitCode, output = "" } = typeof said === "number" ? { exitCode: said } : said;
		if (exitCode === 0) proved.add(`${command} ${tree}`);
		return { name, command, exitCode, output };
	};
	return {
		runCheck: (name, command, settings) => life.through(`check ${name}`, () => run(name, command, settings)),
		sweep: async (mark) => void swept.push(mark),
		sweepNow: () => {},
	};
}

function usual(command: string, files: Files): Checked | undefined {
	const [, path] = /^test -[fe] (\S+)$/.exec(command) ?? [];
	if (path !== undefined) return files.read(path) === null ? 1 : 0;
	return command === "true" ? 0 : command === "false" ? 1 : undefined;
}
