// pawl runs
import { Command } from "commander";
import type { Context } from "./context.ts";
import { fitted } from "./fit.ts";
import { document, isDriven, iso } from "./look.ts";
import { databaseOf, findRepository } from "./place.ts";
import { statusCell } from "./tables.ts";
import { paint, span, wantsColor } from "./text.ts";

export function command(c: Context): Command {
	return new Command("pawl runs")
		.description("list the runs of this repository, newest first")
		.option("--json", "as one JSON document")
		.action(async (flags: { json?: boolean }) => {
			const { root } = await findRepository(c);
			const store = c.services.openReader(databaseOf(root));
			const runs = (store?.runs() ?? []).map((r) => ({ ...r, driven: store !== null && isDriven(store, r.id, r.status) }));
			store?.close();
			if (flags.json) {
				const rows = runs.map((r) => ({
					run: r.id,
					workflow: r.workflow,
					title: r.title,
					status: r.status,
					driven: r.driven,
					created_at: iso(r.createdAt),
					updated_at: iso(r.updatedAt),
				}));
				return c.out(document(rows));
			}
			if (runs.length === 0) return c.err('there are no runs yet; start one with: pawl run dynamic "REQUEST"\n');
			const color = paint(wantsColor(c.env, c.outIsTty));
			c.out(
				`${fitted(
					runs.map((r) => [
						r.id,
						r.workflow,
						statusCell(r.status === "running" && !r.driven ? "cut off" : r.status, color),
						`${span(c.now() - r.createdAt)} ago`,
						r.title,
					]),
					c.width,
					"",
				)}\n`,
			);
		});
}
