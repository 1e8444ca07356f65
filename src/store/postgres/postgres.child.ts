// Programs that the tests of the PostgreSQL store run as separate processes: node postgres.child.ts MODE URL RUN ARGUMENT. Each says what it did in
// lines, and ends when its stdin does, so that none outlives its test.
import { writeSync } from "node:fs";
import { updateTimes } from "../update.suite.ts";
import { openPostgresStore } from "./store.ts";

const [mode, url = "", run = "", argument = ""] = process.argv.slice(2);
const say = (line: string) => writeSync(1, `${line}\n`);

const modes: Record<string, () => Promise<void>> = {
	/** Makes the schema, and says so. */
	async open() {
		const store = await openPostgresStore({ url });
		await store.close();
		say("done");
		process.exit();
	},

	/** Updates the run 200 times under the name ARGUMENT. */
	async share() {
		const store = await openPostgresStore({ url });
		await updateTimes(store, run, argument, 200);
		await store.close();
		say("done");
		process.exit();
	},

	/** Takes the lease of the run for ARGUMENT milliseconds, renews it, and says when it is lost. */
	async hold() {
		const store = await openPostgresStore({ url });
		const lease = await store.lease(run, "@run", Number(argument));
		say(lease === null ? "refused" : `epoch ${lease.epoch}`);
		lease?.lost?.addEventListener("abort", () => say("lost"));
	},

	/** So many (ARGUMENT) sessions at once of the account RUN, with a seat each: `for ever`, or a few times each. Says when it took one. */
	async seats() {
		const [count, forEver] = argument.split(" ");
		const store = await openPostgresStore({ url, pollMs: 20 });
		const session = async (n: number): Promise<void> => {
			for (let attempt = 1; attempt <= 3; attempt++) {
				const request = { account: run, run: "r", scope: `S-${n}`, step: "s", attempt, ttlMs: 1_500 };
				const seat = await store.accounts.seat(request, new AbortController().signal, async () => void say("waits"));
				if (seat === null || "limitedMs" in seat) {
					say("limited");
					continue;
				}
				say("took");
				if (forEver !== undefined) return;
				await new Promise((later) => setTimeout(later, 10));
				if (seat.lost.aborted) say("lost");
				await seat.release();
			}
		};
		await Promise.all(Array.from({ length: Number(count) }, (_, n) => session(n)));
		if (forEver !== undefined) return;
		await store.close();
		say("done");
		process.exit();
	},
};

process.stdin.on("end", () => process.exit()).resume();
await modes[mode ?? ""]?.();
