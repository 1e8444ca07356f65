// pawl runs
import { Command } from "commander";
import { listRuns } from "../../runs/look/list.ts";
import type { Context } from "../context.ts";
import { document } from "../text/document.ts";
import { fitted } from "../text/fit.ts";
import { statusCell } from "../text/tables.ts";
import { paint, span, wantsColor } from "../text/text.ts";

/** A terminal shows no more, and older ones would take their time. */
const NEWEST = 100;

export function command(c: Context): Command {
	return new Command("pawl runs")
		.description("list the runs of this repository, newest first")
		.option("--all", `list all runs, not only the newest ${NEWEST}`)
		.option("--json", "all of them, as one JSON document")
		.action(async (flags: { all?: boolean; json?: boolean }) => {
			const found = await listRuns(c, flags.all || flags.json ? undefined : NEWEST + 1);
			if (flags.json) return c.out(document(found));
			const runs = flags.all ? found : found.slice(0, NEWEST);
			if (runs.length === 0) return c.err(`there are no runs yet; start one with: pawl run ${c.services.oneShotWorkflow} "REQUEST"\n`);
			const color = paint(wantsColor(c.env, c.outIsTty));
			c.out(
				`${fitted(
					runs.map((r) => [
						r.run,
						r.workflow,
						statusCell(r.status === "running" && !r.driven ? "cut off" : r.status, color),
						`started ${span(c.now() - Date.parse(r.created_at ?? ""))} ago`,
						`${requestOf(r.pull_request)}${r.title}`,
					]),
					c.width,
					"",
				)}\n`,
			);
			if (found.length > runs.length) c.err("older ones: pawl runs --all\n");
		});
}

/** Its number at the forge: the address does not fit into a line. */
const requestOf = (url: string | null): string => (url === null ? "" : `PR ${/(\d+)\/?$/.exec(url)?.[1] ?? "open"}: `);
