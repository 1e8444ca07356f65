// Sessions of processes that share accounts: each has a seat while it runs, and a usage limit that one of them meets holds all of them.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Event } from "../../core/event.ts";
import type { AccountSeat, AtLimit } from "../../store.ts";
import type { SharedAccounts } from "../parts.ts";
import { Run } from "../run.ts";
import { BUILT_IN } from "../testing/built-in.suite.ts";
import { fails, type Part, type Turn } from "../testing/cast.suite.ts";
import { type Harness, type HarnessOptions, harness } from "../testing/harness.suite.ts";
import { violations } from "../testing/invariants.suite.ts";
import { share } from "../testing/shared.suite.ts";
import type { VirtualClock } from "../testing/virtual-clock.suite.ts";

/** Accounts in memory, on the clock of the harness; `name` is the account of every agent. */
class TestAccounts implements SharedAccounts {
	readonly held = new Set<{ readonly lost: AbortController }>();
	/** The most that were held at once. */
	most = 0;
	private readonly clock: VirtualClock;
	private readonly max: number;
	private limitedUntil = 0;

	constructor(clock: VirtualClock, max: number) {
		this.clock = clock;
		this.max = max;
	}

	readonly of = (): string => "team";

	async seat(_: unknown, signal: AbortSignal, onWait: (used: number, max: number) => Promise<void>): Promise<AccountSeat | AtLimit | null> {
		for (let told = false; !signal.aborted; told = true) {
			if (this.limitedUntil > this.clock.now()) return { limitedMs: this.limitedUntil - this.clock.now(), by: "another worker" };
			if (this.held.size < this.max) {
				const seat = { lost: new AbortController() };
				this.held.add(seat);
				this.most = Math.max(this.most, this.held.size);
				return { lost: seat.lost.signal, release: async () => void this.held.delete(seat) };
			}
			if (!told) await onWait(this.held.size, this.max);
			await this.clock.sleep(1_000);
		}
		return null;
	}

	async limits(names: readonly string[]): Promise<ReadonlyMap<string, number>> {
		const ms = this.limitedUntil - this.clock.now();
		return new Map(ms > 0 ? names.map((name) => [name, ms]) : []);
	}

	async limit(_: string, ms: number): Promise<void> {
		this.limitedUntil = Math.max(this.limitedUntil, this.clock.now() + ms);
	}
}

const codes = async ({ files, checkout, story, takes }: Turn): Promise<string> => {
	await takes(60_000);
	files.write(`${story}.txt`, `${story}\n`);
	checkout.commitAll(`work on ${story}`);
	return "## SUMMARY\n- it is done\n";
};

const STORIES = ["US-1", "US-2", "US-3", "US-4"];

const optionsOf = (coding: Part): HarnessOptions => ({
	...BUILT_IN["dynamic"]!,
	stories: STORIES,
	options: { agents: 4 },
	cast: { coding, "*": "## SUMMARY\n- done\n" },
});

const waits = async (h: Harness): Promise<string[]> =>
	(await h.events()).flatMap((event: Event) => (event.event === "remarked" && event.text.includes("seat") ? [event.text] : []));

describe("a session of an account", () => {
	test("A7 M10 waits for a seat and says so; never more run than the account has seats, and all get done", async (t) => {
		const h = await harness(t, optionsOf(codes));
		await h.advance();
		const accounts = new TestAccounts(h.clock, 2);
		const { state } = await share(h, [undefined, undefined], { parts: { accounts } });
		assert.equal(state.status, "completed");
		assert.deepEqual(await violations(h), []);
		assert.equal(accounts.most, 2);
		assert.equal(accounts.held.size, 0, "every seat was given back");
		assert.equal((await waits(h))[0], "waits for a seat of account team (2 of 2 in use)");
	});

	test("members of a gate who are more than the seats sit down one after the other", async (t) => {
		const h = await harness(t, BUILT_IN["gated"]!);
		await h.advance();
		const accounts = new TestAccounts(h.clock, 1);
		const { state } = await share(h, [undefined, undefined], { parts: { accounts } });
		assert.equal(state.status, "completed");
		assert.deepEqual(await violations(h), []);
		assert.equal(accounts.most, 1);
		assert.ok((await waits(h)).length > 0, "nobody waited");
	});

	test("that waits for a seat stops waiting when a person stops the run", async (t) => {
		const h = await harness(
			t,
			optionsOf(({ hangs }) => hangs()),
		);
		await h.advance();
		const accounts = new TestAccounts(h.clock, 1);
		let stopped = false;
		const { state } = await share(h, [undefined, undefined], {
			parts: { accounts },
			onTick: async () => {
				if (stopped || (await waits(h)).length < 3) return;
				stopped = true;
				const opened = await Run.share({ store: h.store.open(h.clock.now) }, h.run);
				await opened?.run.feed({ type: "stop", at: h.clock.now(), how: "pause" });
			},
		});
		assert.equal(state.status, "paused");
		assert.equal(accounts.held.size, 0);
	});

	test("starts no more once another one met a usage limit, and all go on when it ends", async (t) => {
		const started: number[] = [];
		let limit: { readonly at: number; readonly until: number } | null = null;
		const coding: Part = async (turn) => {
			started.push(turn.now());
			if (limit !== null) return codes(turn);
			limit = { at: turn.now(), until: turn.now() + 300_000 };
			return fails("rate_limited", "usage limit", { retryAt: limit.until });
		};
		const h = await harness(t, optionsOf(coding));
		await h.advance();
		const accounts = new TestAccounts(h.clock, 1);
		const { state } = await share(h, [undefined, undefined], { parts: { accounts } });
		assert.equal(state.status, "completed");
		const { at, until } = limit as unknown as { at: number; until: number };
		assert.deepEqual(
			started.filter((time) => time > at && time < until),
			[],
		);
		assert.equal(started.length, 5, "nobody but the first met it");
		const reasons = (await h.events()).flatMap((event) => (event.event === "step_postponed" ? [event.reason] : []));
		assert.match(reasons.join("\n"), /account team is at its usage limit until .* \(another worker met it\)/);
	});

	test("ends as lost when its seat is lost, and is tried again", async (t) => {
		let first = true;
		const coding: Part = async (turn) => {
			if (!first) return codes(turn);
			first = false;
			for (const { lost } of accounts.held) lost.abort(new Error("the seat of account team is lost"));
			return turn.hangs().then(() => undefined);
		};
		const h = await harness(t, { ...optionsOf(coding), stories: ["US-1"] });
		await h.advance();
		const accounts = new TestAccounts(h.clock, 1);
		const { state } = await share(h, [undefined], { parts: { accounts } });
		assert.equal(state.status, "completed");
		assert.match(JSON.stringify(await h.events()), /the seat of account team is lost/);
	});
});
