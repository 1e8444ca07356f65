// pawl prune [--older-than 30d] [--keep-size 2GB] [--yes]
import { Command } from "commander";
import { formatDuration } from "../../core/duration.ts";
import { type Pruned, prune } from "../../runs/prune.ts";
import type { Context } from "../context.ts";
import { age, bytes } from "../flags.ts";
import { bytesText } from "../text/bytes.ts";
import { document } from "../text/document.ts";
import { fitted } from "../text/fit.ts";

const DEFAULT_MS = 30 * 24 * 3_600_000;

interface Flags {
	readonly olderThan?: number;
	readonly keepSize?: number;
	readonly yes?: boolean;
	readonly json?: boolean;
}

export function command(c: Context): Command {
	return new Command("pawl prune")
		.description(
			"remove old runs: journals, logs, worktrees, and refs that keep abandoned work; only says what it would remove without --yes",
		)
		.option("--older-than <age>", "remove runs that ended longer ago than this (default: 30d, unless --keep-size is given)", age)
		.option(
			"--keep-size <size>",
			"remove the oldest runs until the folders of all runs together are no larger than this (500MB, 2GB)",
			bytes,
		)
		.option("--yes", "really remove them")
		.option("--json", "as one JSON document")
		.action(async (flags: Flags) => {
			const olderThanMs = flags.olderThan ?? (flags.keepSize === undefined ? DEFAULT_MS : null);
			const remove = flags.yes === true;
			const found = await prune(c, { olderThanMs, keepBytes: flags.keepSize ?? null }, { remove });
			if (flags.json) return c.out(document({ removed: remove, ...found }));
			print(c, found, remove);
		});
}

function print(c: Context, found: Pruned, removed: boolean): void {
	const rows = found.runs.map(({ id, workflow, status, updatedAt, bytes: size, title }) => {
		return [id, workflow, status, agoText(c.now() - updatedAt), bytesText(size), title];
	});
	if (rows.length > 0) c.out(`${fitted(rows, c.width)}\n`);
	for (const { path, bytes: size } of found.worktrees) c.out(`${path}  ${bytesText(size)}\n`);
	const what = [count(found.runs.length, "run"), count(found.refs.length, "kept ref"), count(found.worktrees.length, "worktree")];
	what.push(count(found.published.length, "ref", "of the shared repository"));
	const total = what.filter((text) => text !== null).join(", ");
	for (const id of found.busy) c.err(`pawl: ${id} is at work again, so it stays\n`);
	if (total === "") return c.out(`nothing to remove; ${found.kept} ${found.kept === 1 ? "run stays" : "runs stay"}\n`);
	c.out(removed ? `removed ${total}: ${bytesText(found.bytes)}\n` : `would remove ${total}: ${bytesText(found.bytes)}\n`);
	if (!removed) c.out("remove it with: pawl prune --yes, and the same options\n");
}

const count = (n: number, what: string, more = ""): string | null =>
	n === 0 ? null : `${n} ${what}${n === 1 ? "" : "s"}${more && ` ${more}`}`;

/** After a day, hours no longer matter. */
function agoText(ms: number): string {
	const days = Math.floor(ms / 86_400_000);
	if (days > 0) return `${days} ${days === 1 ? "day" : "days"} ago`;
	return ms < 60_000 ? "just now" : `${formatDuration(Math.floor(ms / 60_000) * 60_000)} ago`;
}
