// What can be done to a run: each action is one POST, and calls the same function as its command.
import { formatDuration } from "../core/duration.ts";
import { money } from "../core/money.ts";
import type { Delivered } from "../runs/change/deliver.ts";
import { extend } from "../runs/change/extend.ts";
import { skip } from "../runs/change/skip.ts";
import { steer } from "../runs/change/steer.ts";
import { checkoutFor } from "../runs/checkout.ts";
import type { RunsContext } from "../runs/context.ts";
import { type Done, decideAndGoOn, resumeDetached, retryAndGoOn, stopOnce } from "../runs/control/go-on.ts";
import type { RunsReader } from "../runs/look/reader.ts";
import { personFor } from "../runs/person.ts";
import { HttpError } from "./answer.ts";
import { checked } from "./body.ts";
import { newRun } from "./new-run.ts";
import { ACTIONS, startBody } from "./schemas.ts";

export interface Acting {
	readonly c: RunsContext;
	readonly reader: RunsReader;
	readonly turns: Turns;
}

export interface Acted {
	readonly status: 200 | 201;
	readonly value: unknown;
}

export async function act(
	a: Acting,
	{ action, run }: { readonly action: string; readonly run: string | null },
	body: unknown,
): Promise<Acted> {
	const { c, reader } = a;
	if (run === null) {
		const wanted = startBody(c.services.flags, body);
		refuseAgents(() => void personFor(c, null));
		return { status: 201, value: await newRun(c, reader, wanted) };
	}
	checked<unknown>(ACTIONS[action as keyof typeof ACTIONS], body);
	const cwd = await reader.at(run, ({ state, root }) => {
		refuseAgents(() => void personFor(c, state));
		return checkoutFor(state, root, c.cwd);
	});
	const work = workOf({ ...a, c: { ...c, cwd } }, action, run, body);
	return { status: 200, value: await (ALONE.has(action) ? a.turns.take(`${run} ${action}`, work) : work()) };
}

/** An agent that found out the token, or started the server itself. */
function refuseAgents(check: () => void): void {
	try {
		check();
	} catch (error) {
		throw new HttpError("refused", error instanceof Error ? error.message : String(error));
	}
}

/** Nothing is done before the returned function is called. */
function workOf(a: Acting, action: string, run: string, body: unknown): () => Promise<Done> {
	const { c } = a;
	switch (action) {
		case "approve": {
			const { step, reason = "", ask } = checked(ACTIONS.approve, body);
			return () => decideAndGoOn(c, { run, step, verdict: "approve", reason, ask: question(ask) });
		}
		case "answer": {
			const { step, text, ask } = checked(ACTIONS.answer, body);
			return () => decideAndGoOn(c, { run, step, verdict: "answer", reason: text, ask: question(ask) });
		}
		case "reject": {
			const { step, reason, ask } = checked(ACTIONS.reject, body);
			return () => decideAndGoOn(c, { run, step, verdict: "reject", reason, ask: question(ask) });
		}
		case "retry": {
			const { story, ask } = checked(ACTIONS.retry, body);
			return () => retryAndGoOn(c, { run, story, ask: question(ask) });
		}
		case "skip": {
			const wanted = checked(ACTIONS.skip, body);
			return () => recorded(a, skip(c, { run, ...wanted }), (done) => `${done.step} skipped`);
		}
		case "steer": {
			const { text } = checked(ACTIONS.steer, body);
			return () => recorded(a, steer(c, run, text), () => "noted for the next steps");
		}
		case "extend":
			return extending(a, run, body);
		case "resume":
			checked(ACTIONS.resume, body);
			return () => resumeDetached(c, run);
		case "pause":
			checked(ACTIONS.pause, body);
			return () => stopOnce(c, run, "pause");
		default:
			checked(ACTIONS.cancel, body);
			return () => stopOnce(c, run, "cancel");
	}
}

/** Not a question that was ever asked: an answer to it changes nothing. */
const question = (ask: string | undefined): number | undefined =>
	ask === undefined ? undefined : /^\d{1,9}$/.test(ask) ? Number(ask) : -1;

function extending(a: Pick<Acting, "c" | "reader">, run: string, body: unknown): () => Promise<Done> {
	const { max_cost: maxCost, max_time: maxTime, max_iterations: maxIterations } = checked(ACTIONS.extend, body);
	const limits = {
		...(maxCost === undefined ? {} : { maxCost }),
		...(maxTime === undefined ? {} : { maxTime }),
		...(maxIterations === undefined ? {} : { maxIterations }),
	};
	const words = [
		...(maxCost === undefined ? [] : [`cost up to ${money(maxCost)}`]),
		...(maxTime === undefined ? [] : [`time up to ${formatDuration(maxTime)}`]),
		...(maxIterations === undefined ? [] : [`${maxIterations} iterations`]),
	];
	return () => recorded(a, extend(a.c, run, limits), () => `extended: ${words.join(", ")}`);
}

/** For what does not make a run go on. */
async function recorded<T extends Delivered>(
	{ reader }: Pick<Acting, "reader">,
	work: Promise<T>,
	what: (done: T) => string,
): Promise<Done> {
	const done = await work;
	const { run, delivery, status } = done;
	return { run, what: what(done), delivery, status, driven: status === "running" && (await reader.holder(run)) !== null };
}

/** Who comes second finds what the first one did, and is told that it is done already. */
const ALONE: ReadonlySet<string> = new Set(["resume", "pause", "cancel", "retry"]);

export class Turns {
	private readonly last = new Map<string, Promise<unknown>>();

	take<T>(key: string, work: () => Promise<T>): Promise<T> {
		const turn = (this.last.get(key) ?? Promise.resolve()).then(work, work);
		const settled = turn.catch(() => {});
		this.last.set(key, settled);
		void settled.then(() => {
			if (this.last.get(key) === settled) this.last.delete(key);
		});
		return turn;
	}
}
