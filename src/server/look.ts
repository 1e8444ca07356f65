// What can be looked at: GET routes below a run, and those over all runs. They never change anything.
import { z } from "zod";
import { isOver } from "../core/query.ts";
import type { RunsContext } from "../runs/context.ts";
import { attemptsOf } from "../runs/look/attempts.ts";
import { costView } from "../runs/look/cost.ts";
import { diffIn } from "../runs/look/diff.ts";
import { numbered } from "../runs/look/journal.ts";
import { logPage, promptIn } from "../runs/look/log/log-page.ts";
import { nowView } from "../runs/look/now.ts";
import { type Question, questionsOf } from "../runs/look/questions.ts";
import type { RunsReader } from "../runs/look/reader.ts";
import { statusIn } from "../runs/look/status.ts";
import { storyList } from "../runs/look/stories.ts";
import { storyDetail } from "../runs/look/story-detail.ts";
import { accountsIn } from "../runs/shared/accounts.ts";
import { workersIn } from "../runs/shared/workers.ts";
import { workflowsHere } from "../runs/workflows.ts";
import { HttpError } from "./answer.ts";

export interface Looking {
	readonly c: RunsContext;
	readonly reader: RunsReader;
	readonly query: URLSearchParams;
}

/** Newest first. `?limit=N`: only the newest so many, and all that are not over. */
export const runRows = async ({ reader, query }: Looking) => {
	const limit = query.get("limit");
	const most = limit === null ? Number.POSITIVE_INFINITY : version(limit, "runs");
	return (await reader.runs()).map(({ row }) => row).filter((row, at) => at < most || !isOver(row.status));
};

export const oneRun = (l: Looking, run: string) =>
	l.reader.at(run, async (open) => {
		const at = l.c.now();
		return {
			...(await statusIn(open, at)),
			...nowView(open.state, at),
			// Without their evidence: a run may have a thousand stories, and this is asked for at every change.
			stories: (await storyList(l.c, open)).map(({ criteria: _, ...story }) => story),
			questions: questionsOf(open.state, open.events),
		};
	});

export const stories = (l: Looking, run: string) => l.reader.at(run, (open) => storyList(l.c, open));

export const oneStory = ({ reader, c }: Looking, run: string, story: string) => reader.at(run, (open) => storyDetail(open, story, c.now()));

export const events = ({ reader, query }: Looking, run: string) => {
	const after = version(query.get("after"));
	return reader.at(run, (open) => numbered(open.events.slice(after), after));
};

export const attempts = ({ reader }: Looking, run: string) => reader.at(run, ({ state, events }) => attemptsOf(state, events));

export const diff = ({ reader }: Looking, run: string, story: string) => reader.at(run, (open) => diffIn(open, story));

export const log = ({ reader, query }: Looking, run: string, story: string, step: string) =>
	reader.at(run, (open) => logPage(open, story, step, query.get("after") ?? "0"));

export const prompt = ({ reader, query }: Looking, run: string, story: string, step: string) =>
	reader.at(run, async (open) => {
		const attempt = version(query.get("attempt") ?? "1");
		const text = await promptIn(open, story, step, attempt);
		if (text === null) throw new HttpError("not_found", `attempt ${attempt} of ${step} has no prompt, or not yet`);
		return { run, story, step, attempt, prompt: text };
	});

export const cost = ({ reader }: Looking, run: string) => reader.at(run, ({ state, events }) => costView(state, events));

/** Everything that waits for a person, the oldest first. */
export async function inbox({ reader }: Looking): Promise<Question[]> {
	const asked: Question[] = [];
	for (const { row } of await reader.runs())
		if (row.waiting > 0) asked.push(...(await reader.at(row.run, ({ state, events }) => questionsOf(state, events))));
	return asked.sort((a, b) => (a.since ?? "").localeCompare(b.since ?? ""));
}

/** null: the runs are those of this machine. */
export const machines = ({ reader }: Looking) =>
	reader.inShared(async (store) => ({ workers: await workersIn(store), accounts: await accountsIn(store) }));

/** For the form of a new run. */
export const workflows = async ({ c }: Looking) =>
	(await workflowsHere(c))
		.filter((one) => one.shadowed_by === null && one.problems.length === 0)
		.map(({ name, title, origin, inputs, defaults }) => ({ name, title, origin, inputs, defaults }));

/** A number of events, or of something else; nothing means none. */
export function version(text: string | null, of = "events"): number {
	const read = z
		.string()
		.regex(/^\d{1,9}$/)
		.safeParse(text ?? "0");
	if (!read.success) throw new HttpError("invalid", `${text} is not a number of ${of}`);
	return Number(read.data);
}
