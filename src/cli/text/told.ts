// The result of a person's request to a run: one line, or one JSON document.
import { isOver } from "../../core/query.ts";
import type { Delivered } from "../../runs/change/deliver.ts";
import type { Context } from "../context.ts";

export function told(c: Context, what: string, { run, delivery, status }: Delivered, json: boolean): void {
	if (json) return c.out(`${JSON.stringify({ run, what, delivery, status })}\n`);
	if (delivery === "taken") return c.out(`${what}; run ${run} goes on with it\n`);
	if (delivery === "left") return c.out(`${what}; run ${run} takes it up as soon as it can\n`);
	// A run that machines share goes on by itself when it no longer waits.
	const halts = isOver(status) || (c.db !== undefined && status === "waiting");
	c.out(halts ? `${what}; run ${run} is ${status}\n` : `${what}; continue with: pawl resume ${run}\n`);
}
