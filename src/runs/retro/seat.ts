// A retro draws on the same account as the sessions of the run: with a database that machines share, it has a seat there, too.
import type { Agent, AgentOutcome } from "../../agent.ts";
import type { Config } from "../../config.ts";
import { RUN_SCOPE, type RunState } from "../../core/model.ts";
import { seatedAgent } from "../../engine/attempt/account.ts";
import type { RunsContext } from "../context.ts";
import { accountsHere } from "../shared/accounts-here.ts";
import { inDatabase } from "../shared/in-database.ts";

const SEAT_MS = 3 * 60_000;

export async function inSeat(
	c: RunsContext,
	config: Config,
	{ id }: RunState,
	agent: Agent,
	ask: (agent: Agent) => Promise<AgentOutcome>,
): Promise<AgentOutcome> {
	if (c.db === undefined) return ask(agent);
	return inDatabase(c, ({ accounts }) =>
		ask(
			seatedAgent(agent, {
				accounts: accountsHere(c, config, accounts, SEAT_MS),
				who: { run: id, scope: RUN_SCOPE, step: "retro", attempt: 1 },
				now: c.now,
				onWait: async (text) => c.warn(`the retro ${text}`),
			}),
		),
	);
}
