// Carries out what a key asked for, through the same functions as the commands of the same names. Returns what to tell the person.
import { RUN_SCOPE } from "../../core/model.ts";
import { steer } from "../../runs/change/steer.ts";
import { decideAndGoOn, resumeDetached, retryAndGoOn, stopOnce } from "../../runs/control/go-on.ts";
import { diffOf } from "../../runs/look/diff.ts";
import type { WatchedRun } from "../../runs/look/watched-run.ts";
import { asRefusal } from "../../runs/refusal.ts";
import type { Context } from "../context.ts";
import { visible } from "../text/text.ts";
import type { Ui } from "./model.ts";
import type { Action } from "./press.ts";

export type Asked = Extract<Action, { readonly do: "pause" | "resume" | "steer" | "diff" | "decide" }>;

/** What changes in the view afterwards. */
export async function carryOut(c: Context, watched: WatchedRun, action: Asked): Promise<Partial<Ui>> {
	try {
		const part = await act(c, watched, action);
		// What is said then fits what is shown, and the next key means the run as it is.
		await watched.caughtUp();
		return part;
	} catch (error) {
		return { note: asRefusal(error).message };
	}
}

async function act(c: Context, watched: WatchedRun, action: Asked): Promise<Partial<Ui>> {
	const { id: run, status } = watched.now().state;
	switch (action.do) {
		case "pause": {
			const paused = await stopOnce(c, run, "pause");
			return { note: paused.delivery === "left" ? "asked to stop; it has not done so yet" : `the run is ${paused.status}` };
		}
		case "resume":
			if (status === "failed") return { note: `${(await retryAndGoOn(c, { run, story: undefined })).what}; the run goes on` };
			await resumeDetached(c, run);
			return { note: "the run goes on" };
		case "steer": {
			const { delivery } = await steer(c, run, action.text);
			return { note: delivery === "left" ? "noted; the run takes it up as soon as it can" : "noted for the next steps" };
		}
		case "diff": {
			const { story, status, commits, patch } = await diffOf(c, run, action.story);
			const lines = [
				...commits.map(({ sha, subject }) => `commit ${sha} ${subject}`),
				...(commits.length > 0 ? [""] : []),
				...patch.split("\n"),
			];
			if (patch === "") return { note: `${story} (${status}) changed nothing so far` };
			const shown = lines.map((line) => visible(line).replaceAll("\t", "    "));
			return { note: null, page: { kind: "diff", title: `diff of ${story}`, lines: shown, top: 0 } };
		}
		case "decide": {
			const { scope, verdict, reason, ask } = action;
			const step = scope === RUN_SCOPE ? action.step : `${scope}/${action.step}`;
			const { what, driven } = await decideAndGoOn(c, { run, step, verdict, reason, ask });
			return { note: `${what}${driven ? "; the run goes on" : ""}` };
		}
	}
}
