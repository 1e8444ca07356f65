// What telemetry says of journals that runs have left: the same, whoever reads how much of them and whoever committed what.
import assert from "node:assert/strict";
import { it } from "node:test";
import type { Event } from "../../src/core/event.ts";
import { fold } from "../../src/core/fold/apply.ts";
import type { RunState } from "../../src/core/model.ts";
import { JournalFollower } from "../../src/runs/telemetry/journal-follower.ts";
import type { Sender, Span } from "../../src/telemetry.ts";
import { journalOf } from "../journals/fixture.ts";
import { KEPT } from "../journals/kept.ts";

/** The journal in commits, as far as times tell them apart, with the state after each. */
function commitsOf(events: readonly Event[]): { readonly events: readonly Event[]; readonly state: RunState }[] {
	const commits: Event[][] = [];
	for (const event of events) {
		const last = commits.at(-1);
		if (last !== undefined && last[0]?.at === event.at) last.push(event);
		else commits.push([event]);
	}
	let state: RunState | null = null;
	return commits.map((one) => {
		state = fold(one, state ?? undefined);
		assert.ok(state !== null);
		return { events: one, state };
	});
}

function follower(into: Span[]): JournalFollower {
	const sender: Sender = { span: (span) => void into.push(span), measure: () => {}, close: async () => {} };
	return new JournalFollower(sender);
}

const shown = (spans: readonly Span[]): string[] => spans.map((span) => JSON.stringify(span)).sort();

for (const { name, open } of KEPT.filter(({ name }) => name.endsWith(".finished")))
	it(`${name}: one process, two that take turns, and one that goes on after another tell the same, each part once`, () => {
		const commits = commitsOf(journalOf(open().root));
		const alone: Span[] = [];
		const one = follower(alone);
		for (const { events, state } of commits) one.see(events, state, true);
		assert.equal(new Set(alone.map(({ id }) => id)).size, alone.length, "no span has the id of another");
		const ids = new Set(alone.map(({ id }) => id));
		for (const { parent, name: part } of alone) assert.ok(parent === null || ids.has(parent), `${part} belongs to a span that is told`);
		assert.equal(alone.filter(({ parent }) => parent === null).length, 1, "the run");
		const last = commits.at(-1);
		assert.ok(last);
		const sessions = alone.filter(({ attributes }) => attributes["gen_ai.operation.name"] === "invoke_agent").length;
		assert.ok(sessions > 0);

		const shared: Span[] = [];
		const [a, b] = [follower(shared), follower(shared)];
		commits.forEach(({ events, state }, i) => {
			a.see(events, state, i % 2 === 0);
			b.see(events, state, i % 2 === 1);
		});
		assert.deepEqual(shown(shared), shown(alone));

		const cut = Math.floor(commits.length / 2);
		const resumed: Span[] = [];
		const first = follower(resumed);
		for (const { events, state } of commits.slice(0, cut)) first.see(events, state, true);
		const second = follower(resumed);
		const before = commits.slice(0, cut);
		const then = before.at(-1);
		if (then !== undefined)
			second.see(
				before.flatMap(({ events }) => events),
				then.state,
				false,
			);
		// It reads again what it has: nothing of that counts twice.
		for (const { events, state } of commits.slice(cut)) {
			second.see(events, state, true);
			second.see(events, state, true);
		}
		assert.deepEqual(shown(resumed), shown(alone));
	});
