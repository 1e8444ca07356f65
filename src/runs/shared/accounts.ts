// The accounts of a database, for people: who uses them, how many sessions they may have, and which are at a usage limit.
import { RUN_SCOPE } from "../../core/model.ts";
import type { Account, SharedStore } from "../../store.ts";
import { deliver } from "../change/deliver.ts";
import type { RunsContext } from "../context.ts";
import { iso } from "../look/json-values.ts";
import { personFor } from "../person.ts";
import { Refusal } from "../refusal.ts";
import { inDatabase } from "./in-database.ts";

export interface AccountView {
	readonly account: string;
	/** null: any number. */
	readonly max: number | null;
	readonly in_use: number;
	readonly waiting: number;
	readonly limited_until: string | null;
	readonly limited_by: string | null;
	/** Who has a seat or waits for one; `story` is null for a step of the run itself. */
	readonly sessions: readonly {
		readonly worker: string;
		readonly run: string;
		readonly story: string | null;
		readonly step: string;
		readonly attempt: number;
		readonly since: string | null;
		readonly waits: boolean;
	}[];
}

export const listAccounts = (c: RunsContext): Promise<AccountView[]> => inDatabase(c, accountsIn);

export const accountsIn = async ({ accounts }: Pick<SharedStore, "accounts">): Promise<AccountView[]> =>
	(await accounts.list()).map(viewOf);

/** null: any number. An account that nobody has used yet is made. */
export function setAccount(c: RunsContext, name: string, max: number | null): Promise<AccountView> {
	personFor(c, null);
	return inDatabase(c, async ({ accounts }) => {
		await accounts.setMax(name, max);
		return viewOf(named(await accounts.list(), name));
	});
}

/** Forgets its usage limit, and lets go on what waits for the end of one. A step that waits for another account's finds out without a session. */
export function clearAccount(c: RunsContext, name: string): Promise<AccountView> {
	const by = personFor(c, null);
	return inDatabase(c, async (store) => {
		const { accounts } = store;
		const { limitedUntil } = named(await accounts.list(), name);
		if (limitedUntil === null) throw new Refusal("invalid", `account ${name} is at no usage limit`);
		await accounts.clear(name);
		for (const { id } of await store.runs({ open: true })) await deliver(c, store, id, { type: "wake", at: c.now(), by });
		return viewOf(named(await accounts.list(), name));
	});
}

function named(all: readonly Account[], name: string): Account {
	const account = all.find((one) => one.name === name);
	if (account !== undefined) return account;
	throw new Refusal("not_found", `there is no account ${name}; there are ${all.map((one) => one.name).join(", ") || "none"}`);
}

const viewOf = ({ name, max, limitedUntil, limitedBy, seats }: Account): AccountView => ({
	...{ account: name, max, in_use: seats.filter(({ waits }) => !waits).length, waiting: seats.filter(({ waits }) => waits).length },
	...{ limited_until: limitedUntil === null ? null : iso(limitedUntil), limited_by: limitedUntil === null ? null : limitedBy },
	sessions: seats.map(({ worker, run, scope, step, attempt, since, waits }) => ({
		...{ worker, run, story: scope === RUN_SCOPE ? null : scope, step, attempt, since: iso(since), waits },
	})),
});
