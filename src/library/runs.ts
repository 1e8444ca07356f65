// Runs for other programs: what they say, checked, and given to the same functions that the commands call. Each is loaded when it is first used, so that a
// program that only looks does not load what drives runs.
import type { Delivered } from "../runs/change/deliver.ts";
import type { RunsContext } from "../runs/context.ts";
import type { Done } from "../runs/control/go-on.ts";
import { asRefusal, Refusal } from "../runs/refusal.ts";
import type { Decide, Look, Runs, Settings, Start, Watch, WatchFrom, WhichQuestion } from "./api.ts";
import type { RunEvent } from "./documents.ts";
import { limitsOf, wantedOf } from "./said.ts";

/** `contextOf` is asked at each call: a program may change its folder. */
export function runsOf(contextOf: (folder?: string, settings?: Settings) => RunsContext, folder?: string, settings?: Settings): Runs {
	const here = (): RunsContext => contextOf(folder, settings);
	return {
		...starting(here),
		...watching(here),
		...deciding(here),
		...looking(here),
		in: (other, more = {}) => runsOf(contextOf, text(other, "folder"), more),
	};
}

type Here = () => RunsContext;

const starting = (here: Here): Start => ({
	start: (wanted) =>
		refusing(async () => {
			const { startDetached } = await import("../runs/start/detached.ts");
			const c = here();
			return startDetached(c, wantedOf(c, wanted));
		}),
	workflows: () =>
		refusing(async () => {
			const { workflowsHere } = await import("../runs/workflows.ts");
			const usable = (await workflowsHere(here())).filter((one) => one.shadowed_by === null && one.problems.length === 0);
			return usable.map(({ name, origin, title, inputs }) => ({ name, origin, title, inputs }));
		}),
});

const watching = (here: Here): Watch => ({
	watch: (run, from = {}) => ({ [Symbol.asyncIterator]: () => eventsOf(here(), run, from) }),
});

async function* eventsOf(c: RunsContext, name: string, { after, signal }: WatchFrom): AsyncGenerator<RunEvent, void> {
	try {
		const [{ followRun }, { lookAt }] = await Promise.all([import("../runs/look/follow-run.ts"), import("../runs/open.ts")]);
		const run = await lookAt(c, text(name, "run"), ({ state }) => state.id);
		for await (const { events } of followRun(c, run, { after, signal })) yield* events;
	} catch (error) {
		throw asRefusal(error);
	}
}

/** What only the commands for it say about a run goes on in none: `goesOn` has the functions after which it does. */
function deciding(here: Here): Decide {
	const act = <T>(run: string, work: (c: RunsContext, id: string) => Promise<T>): Promise<T> =>
		refusing(async () => (await import("../runs/acting.ts")).actingOn(here(), text(run, "run"), work));
	const goesOn = () => import("../runs/control/go-on.ts");
	const verdict = (run: string, how: "approve" | "reject" | "answer", reason: string, { step, ask }: WhichQuestion): Promise<Done> =>
		act(run, async (c, id) => {
			if (how !== "approve") words(reason, how === "answer" ? "text" : "reason");
			return (await goesOn()).decideAndGoOn(c, { run: id, step, verdict: how, reason, ask: questionOf(ask) });
		});
	return {
		approve: (run, { reason = "", ...which } = {}) => verdict(run, "approve", reason, which),
		reject: (run, reason, which = {}) => verdict(run, "reject", reason, which),
		answer: (run, said, which = {}) => verdict(run, "answer", said, which),
		steer: (run, said) =>
			act(run, async (c, id) => {
				const { steer } = await import("../runs/change/steer.ts");
				return recorded(c, "noted for the next steps", await steer(c, id, words(said, "text")));
			}),
		pause: (run) => act(run, async (c, id) => (await goesOn()).stopOnce(c, id, "pause")),
		cancel: (run) => act(run, async (c, id) => (await goesOn()).stopOnce(c, id, "cancel")),
		resume: (run) => act(run, async (c, id) => (await goesOn()).resumeDetached(c, id)),
		retry: (run, { story } = {}) => act(run, async (c, id) => (await goesOn()).retryAndGoOn(c, { run: id, story })),
		extend: (run, limits) =>
			act(run, async (c, id) => {
				const { extend } = await import("../runs/change/extend.ts");
				return recorded(c, "extended", await extend(c, id, limitsOf(limits)));
			}),
		skip: (run, { story, step, reason }) =>
			act(run, async (c, id) => {
				const { skip } = await import("../runs/change/skip.ts");
				const done = await skip(c, { run: id, story: text(story, "story"), step: text(step, "step"), reason: words(reason, "reason") });
				return recorded(c, `${done.step} skipped`, done);
			}),
	};
}

/** For what does not make a run go on. */
async function recorded(c: RunsContext, what: string, { run, delivery, status }: Delivered): Promise<Done> {
	const { statusOf } = await import("../runs/look/status.ts");
	return { run, what, delivery, status, driven: (await statusOf(c, run)).driven };
}

/** Not a question that was ever asked: an answer to it changes nothing. */
const questionOf = (ask: string | undefined): number | undefined =>
	ask === undefined ? undefined : /^\d{1,9}$/.test(ask) ? Number(ask) : -1;

function looking(here: Here): Look {
	const status = () => import("../runs/look/status.ts");
	return {
		list: ({ limit } = {}) => refusing(async () => (await import("../runs/look/list.ts")).listRuns(here(), limit)),
		status: (run) => refusing(async () => (await status()).statusOf(here(), text(run, "run"))),
		questions: (run) =>
			looked(here, run, async () => {
				const { questionsOf } = await import("../runs/look/questions.ts");
				return ({ state, events }) => questionsOf(state, events);
			}),
		stories: (run) =>
			looked(here, run, async () => {
				const { storyList } = await import("../runs/look/stories.ts");
				return (open) => storyList(here(), open);
			}),
		history: (run) =>
			refusing(async () => {
				const { journalOf, numbered } = await import("../runs/look/journal.ts");
				return numbered(await journalOf(here(), text(run, "run")));
			}),
		log: (run, { story, step, after = "0" }) =>
			looked(here, run, async () => {
				const { logPage } = await import("../runs/look/log/log-page.ts");
				return (open) => logPage(open, text(story, "story"), text(step, "step"), after);
			}),
		cost: (run) => refusing(async () => (await import("../runs/look/cost.ts")).costOf(here(), text(run, "run"))),
		diff: (run, story) => refusing(async () => (await import("../runs/look/diff.ts")).diffOf(here(), text(run, "run"), story)),
	};
}

type LookAt<T> = (open: import("../runs/open.ts").OpenRun) => T | Promise<T>;

const looked = <T>(here: Here, run: string, load: () => Promise<LookAt<T>>): Promise<T> =>
	refusing(async () => {
		const [look, { lookAt }] = await Promise.all([load(), import("../runs/open.ts")]);
		return lookAt(here(), text(run, "run"), look);
	});

/** A program without types may pass anything; a missing name must never mean the latest run. */
function text(value: unknown, name: string): string {
	if (typeof value === "string" && value !== "") return value;
	throw new Refusal("invalid", `${name}: a text is needed`);
}

function words(value: unknown, name: string): string {
	if (typeof value === "string" && value.trim() !== "") return value;
	throw new Refusal("invalid", `${name}: a text is needed`);
}

/** Whatever is thrown comes out as a refusal. */
async function refusing<T>(work: () => Promise<T>): Promise<T> {
	try {
		return await work();
	} catch (error) {
		throw asRefusal(error);
	}
}
