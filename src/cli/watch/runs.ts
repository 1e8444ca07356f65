// pawl runs
import { Command } from "commander";
import { listRuns } from "../../runs/look/list.ts";
import type { Context } from "../context.ts";
import { document } from "../text/document.ts";
import { fitted } from "../text/fit.ts";
import { statusCell } from "../text/tables.ts";
import { paint, span, wantsColor } from "../text/text.ts";

export function command(c: Context): Command {
	return new Command("pawl runs")
		.description("list the runs of this repository, newest first")
		.option("--json", "as one JSON document")
		.action(async (flags: { json?: boolean }) => {
			const runs = await listRuns(c);
			if (flags.json) return c.out(document(runs));
			if (runs.length === 0) return c.err(`there are no runs yet; start one with: pawl run ${c.services.oneShotWorkflow} "REQUEST"\n`);
			const color = paint(wantsColor(c.env, c.outIsTty));
			c.out(
				`${fitted(
					runs.map((r) => [
						r.run,
						r.workflow,
						statusCell(r.status === "running" && !r.driven ? "cut off" : r.status, color),
						`${span(c.now() - Date.parse(r.created_at ?? ""))} ago`,
						r.title,
					]),
					c.width,
					"",
				)}\n`,
			);
		});
}
