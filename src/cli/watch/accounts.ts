// pawl accounts [set NAME --max N | clear NAME]
import { Command, InvalidArgumentError } from "commander";
import { type AccountView, clearAccount, listAccounts, setAccount } from "../../runs/shared/accounts.ts";
import type { Context } from "../context.ts";
import { count } from "../flags.ts";
import { document } from "../text/document.ts";
import { fitted } from "../text/fit.ts";
import { span } from "../text/text.ts";

interface Flags {
	readonly json?: boolean;
}

export function command(c: Context): Command {
	const told = (accounts: readonly AccountView[], json = false): void => {
		if (json) return c.out(document(accounts));
		const rows = accounts.flatMap((account) => linesOf(account, c.now()));
		c.out(`${fitted(rows, c.width, "")}\n`);
	};
	const list = new Command("pawl accounts")
		// A flag after the name of a subcommand is that one's.
		.enablePositionalOptions()
		.description("list the accounts that the agents of workers use: seats in use, by whom, and usage limits")
		.option("--json", "as one JSON document")
		.action(async ({ json }: Flags) => {
			const accounts = await listAccounts(c);
			if (accounts.length === 0 && !json)
				return c.err("no session has used an account yet; set one up with: pawl accounts set NAME --max N\n");
			told(accounts, json);
		});
	const set = new Command("set")
		.description("say how many sessions an account may have at once, on all machines together")
		.argument("<name>", "the account, as `account` in pawl.yml names it")
		.requiredOption("--max <n>", "a number, or none", maximum)
		.option("--json", "as one JSON document")
		.action(async (name: string, { max, json }: Flags & { readonly max: number | "none" }) =>
			told([await setAccount(c, name, max === "none" ? null : max)], json),
		);
	const clear = new Command("clear")
		.description("forget that an account is at its usage limit")
		.argument("<name>", "the account")
		.option("--json", "as one JSON document")
		.action(async (name: string, { json }: Flags) => told([await clearAccount(c, name)], json));
	return list.addCommand(set).addCommand(clear);
}

function maximum(text: string): number | "none" {
	if (text === "none") return text;
	if (!/^\d+$/.test(text)) throw new InvalidArgumentError("it must be a whole number from 1 on, or none.");
	return count(text);
}

function linesOf({ account, max, in_use, waiting, limited_until, limited_by, sessions }: AccountView, now: number): string[][] {
	const seats = `${in_use}${max === null ? "" : ` of ${max}`} in use${waiting === 0 ? "" : `, ${waiting} waiting`}`;
	const limit =
		limited_until === null ? "" : `at its usage limit until ${limited_until}${limited_by === null ? "" : ` (${limited_by} met it)`}`;
	return [
		[account, seats, limit],
		...sessions.map(({ worker, run, story, step, since, waits }) => [
			`  ${worker}`,
			`${waits ? "waits" : "works"} for ${span(now - Date.parse(since ?? ""))}`,
			[run, story ?? [], step].flat().join(" "),
		]),
	];
}
