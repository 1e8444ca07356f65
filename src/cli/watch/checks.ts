// pawl checks [RUN]: which checks ran, how they ended, and which were not run again.
import { Command } from "commander";
import { type ChecksView, checksOf } from "../../runs/look/criteria/checks.ts";
import type { Context } from "../context.ts";
import { document } from "../text/document.ts";
import { type Cell, fitted } from "../text/fit.ts";
import { type Paint, paint, wantsColor } from "../text/text.ts";

export function command(c: Context): Command {
	return new Command("pawl checks")
		.description("list the checks of a run: how each ended, and which pawl did not repeat because they had passed on the same files")
		.argument("[run]", "an id, a unique prefix, or latest")
		.option("--json", "as one JSON document")
		.action(async (name: string | undefined, flags: { json?: boolean }) => {
			const view = await checksOf(c, name);
			c.out(flags.json ? document(view) : checksText(view, c.width, paint(wantsColor(c.env, c.outIsTty))));
		});
}

export function checksText({ run, checks, ran, reused }: ChecksView, width: number, color: Paint): string {
	if (checks.length === 0) return `no check of run ${run} has ended yet\n`;
	const rows = checks.map((one) => [
		one.story ?? "run",
		`${one.step}${one.type === null ? "" : ` (${one.type})`}`,
		one.check,
		ended(one, color),
	]);
	const saved = reused === 0 ? "" : `, ${reused} not run again: they had passed on the same files`;
	return `${fitted(rows, width)}\n${ran} check${ran === 1 ? "" : "s"} ran${saved}\n`;
}

function ended({ exit_code: code, reused }: ChecksView["checks"][number], color: Paint): Cell {
	if (code === 0) return reused ? "passed before, on the same files" : { text: "passed", paint: color.green };
	return { text: code === null ? "did not end" : `failed, exit ${code}`, paint: color.red };
}
