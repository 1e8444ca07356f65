// The accounts of a database, as agents on this machine use them.
import { hostname } from "node:os";
import { accountOf } from "../../config/complete.ts";
import type { Config } from "../../config.ts";
import type { SharedAccounts } from "../../engine/parts.ts";
import type { Accounts } from "../../store.ts";
import type { RunsContext } from "../context.ts";

/** `ttlMs`: how long a session keeps its seat without a sign of life. */
export function accountsHere(c: RunsContext, config: Config, { seat, limits, limit }: Accounts, ttlMs: number): SharedAccounts {
	const here = `${c.services.caller().user}@${hostname()}`;
	return {
		of: (agent) => accountOf(config, agent, here),
		seat: (request, ...rest) => seat({ ...request, ttlMs }, ...rest),
		limits,
		limit,
	};
}
