// After a decision: reports it and, with --resume, continues the run.
import { isOver } from "../../core/query.ts";
import type { Delivered } from "../../runs/change/deliver.ts";
import { type Context, exitOfStatus } from "../context.ts";
import { resumeAndFollow } from "../run/resuming.ts";
import { told } from "../text/told.ts";

interface Flags {
	readonly resume?: boolean;
	readonly json?: boolean;
}

export async function goOn(c: Context, what: string, decided: Delivered, { resume = false, json = false }: Flags): Promise<void> {
	// An engine that drives the run already took it.
	if (!resume || decided.delivery !== "recorded") return told(c, what, decided, json);
	if (isOver(decided.status)) {
		told(c, what, decided, json);
		return c.exit(exitOfStatus(decided.status));
	}
	if (!json) c.err(`${what}\n`);
	c.exit(await resumeAndFollow(c, decided.run, {}, { json, quiet: false }));
}
