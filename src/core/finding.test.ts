// G-18: the same finding is the same finding.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ReportGrammar, Route } from "./definition.ts";
import { findingText, isSameFinding, openAfter, repeated, unansweredBy } from "./finding.ts";
import type { Earlier, Finding } from "./model.ts";
import { readEarlier } from "./report/earlier.ts";
import { readReport } from "./report/report.ts";
import { linear } from "./testing/builders.suite.ts";
import { World } from "./testing/world.suite.ts";

const finding = (key: string, text: string): Finding => ({ key, class: "production", text });

/** Of so many files. */
const names = (count: number): string => Array.from({ length: count }, (_, i) => `f${i}.ts`).join(" ");

test("G-18 the same key at the same place is the same, and so are the same words under any key", () => {
	const same: readonly (readonly [Finding, Finding])[] = [
		[finding("null", "src/a.ts:12 may be null"), finding("null", "still null in src/a.ts:12")],
		[finding("null", "src/a.ts may be null"), finding("null", "src/a.ts:40: null again")],
		[finding("null", "in `./src/a.ts` it may be null"), finding("null", "src/a.ts: null")],
		[finding("docs", "README.md lacks it"), finding("docs", "README.md: nothing there yet")],
		[finding("a", "The form is **not** checked."), finding("b", "the form is not checked")],
		[finding("null", `${names(19)} x.ts`), finding("null", "only x.ts")],
		[finding("null", `${"- ".repeat(1990)} x.ts`), finding("null", "only x.ts")],
		[finding("null", "!!"), finding("nil", " !! ")],
	];
	for (const [one, other] of same) {
		assert.ok(isSameFinding(one, other), `${one.text} / ${other.text}`);
		assert.ok(isSameFinding(other, one));
	}
	const different: readonly (readonly [Finding, Finding])[] = [
		[finding("null", "src/a.ts:12 may be null"), finding("null", "src/b.ts:12 may be null as well")],
		[finding("null", "src/a.ts:12 may be null"), finding("null", "src/a.ts:80 is another one")],
		[finding("null", "src/a.ts:12 may be null"), finding("null", "the caller may pass null")],
		[finding("a", "the form is not checked"), finding("b", "the form is not sent")],
		[finding("a", "src/a.ts:1 is wrong"), finding("b", "src/a.ts:1 is slow")],
		[finding("1", "text is not trimmed"), finding("1", "a second call forgets the first")],
		[finding("a", "no body is sent"), finding("b", "nobody is sent")],
		[finding("null", "in lib./a.ts"), finding("null", "see liba.ts")],
		[finding("null", "in src/a.ts"), finding("null", "see lib/a.ts")],
		[finding("null", "in größe/a.ts"), finding("null", "see maß/a.ts")],
		[finding("null", "in v2/a.ts"), finding("null", "see v3/a.ts")],
		[finding("null", "in @x/y_1-2/a.ts"), finding("null", "see @x/z_1-2/a.ts")],
		[finding("null", "in xab.ts"), finding("null", "see yab.ts")],
		[finding("null", "in 7ab.ts"), finding("null", "see 8ab.ts")],
		[finding("null", "in a.b.ts"), finding("null", "see c.b.ts")],
		[finding("null", "in a1b.ts"), finding("null", "see c1b.ts")],
		[finding("null", "in a.tsx"), finding("null", "see a.ts")],
		[finding("null", "in a.md2"), finding("null", "see a.md3")],
		[finding("null", "in version 1.2"), finding("null", "see 1.2 as well")],
		[finding("null", `${names(20)} x.ts`), finding("null", "only x.ts")],
		[finding("null", `${"- ".repeat(2000)} x.ts`), finding("null", "only x.ts")],
		[finding("null", "!!"), finding("nil", "??")],
	];
	for (const [one, other] of different) assert.ok(!isSameFinding(one, other), `${one.text} / ${other.text}`);
});

test("G-18 a finding that a round does not speak of is unanswered, until somebody says that it is resolved", () => {
	const [a, b] = [finding("a", "the form is not checked"), finding("b", "the form is not sent")];
	assert.deepEqual(unansweredBy([a], [b], []), [a]);
	assert.deepEqual(unansweredBy([a], [b], [{ key: "a", open: false }]), []);
	assert.deepEqual(unansweredBy([a], [], [{ key: "a", open: true }]), []);
	assert.deepEqual(unansweredBy([a, b], [a], []), [b]);
	assert.deepEqual(unansweredBy([a, b], [a, finding("c", "it is slow")], []), [b]);
});

test("G-18 what was found before and again, and what is open after a round: each once", () => {
	const [a, b, c] = [finding("a", "the form is not checked"), finding("b", "the form is not sent"), finding("c", "it is slow")];
	const again = finding("z", "The form is not checked!");
	const open = (...keys: string[]): Earlier[] => keys.map((key) => ({ key, open: true }));
	assert.deepEqual(repeated([a, b], [again, c], []), [again]);
	assert.deepEqual(repeated([a, b], [again, c], open("a", "b")), [again, b], "said to be open and listed, it counts once");
	assert.deepEqual(repeated([a, b], [c], [{ key: "a", open: false }]), []);
	assert.deepEqual(openAfter([a, b], [again, c], open("a", "b")), [again, c, b]);
	assert.deepEqual(openAfter([a, b], [c], open("b")), [c, b]);
	assert.deepEqual(openAfter([a], [], []), []);
	assert.deepEqual([findingText(a), findingText({ key: "k", class: "", text: "t" })], ["[a] production: the form is not checked", "[k] t"]);
});

test("G-18 EARLIER lines are read as people write them; a line that says neither says nothing", () => {
	const text =
		"- [a] resolved\n* [b] open\n1. **[c]** - still open, see below\n- d: fixed in src/x.ts\n- [e] not resolved\n- [f] hm\nwords";
	assert.deepEqual(readEarlier(text), [
		{ key: "a", open: false },
		{ key: "b", open: true },
		{ key: "c", open: true },
		{ key: "d", open: false },
		{ key: "e", open: true },
	] satisfies Earlier[]);
	const grammar: ReportGrammar = {
		notes: "text",
		keys: ["VERDICT"],
		findings: "FINDINGS",
		earlier: "EARLIER",
		signals: [{ signal: "ok", when: { VERDICT: "ok" } }],
	};
	const report = readReport(grammar, "VERDICT: ok\nFINDINGS:\n- [x] test: thin\nEARLIER:\n- [a] resolved\n");
	assert.deepEqual([report.signal, report.findings.length, report.earlier], ["ok", 1, [{ key: "a", open: false }]]);
	assert.equal(readReport(grammar, "VERDICT: ok").earlier, undefined);
});

const BACK: Route = { action: "goto", target: "work", max: 5, per: "run", converged: { action: "next", record: "blockers" } };
const worlds = {
	gate: () =>
		new World(
			linear({
				work: {},
				review: {
					kind: "gate",
					members: [{ role: "check", blocking: true }],
					verdicts: ["ok", "bad"],
					on: { ok: { action: "next" }, bad: BACK, unreadable: { action: "retry", max: 3 } },
				},
				after: {},
			}),
		),
	agent: () =>
		new World(
			linear({ work: {}, review: { on: { ok: { action: "next" }, bad: BACK, unreadable: { action: "retry", max: 3 } } }, after: {} }),
		),
};

for (const [kind, world] of Object.entries(worlds)) {
	const bad = (...findings: Finding[]) => ({ signal: "bad", findings });
	test(`G-18 ${kind}: a new finding under an old key is new; the same words under a new key are not`, () => {
		const w = world();
		w.play({
			review: [
				bad(finding("k", "src/a.ts:1 is wrong")),
				bad(finding("k", "src/b.ts:2 is wrong too")),
				bad(finding("other", "src/b.ts:2 is WRONG, too")),
			],
		});
		assert.equal(w.started.filter((s) => s === "review").length, 3);
		assert.deepEqual(
			w.all("converged").map((e) => e.findings.map((f) => f.key)),
			[["other"]],
		);
		assert.deepEqual(
			w.scope().kept.map((k) => [k.name, k.text]),
			[
				["converged", "[other] production: src/b.ts:2 is WRONG, too"],
				["blockers", "[other] production: src/b.ts:2 is WRONG, too"],
			],
		);
	});

	test(`G-18 ${kind}: what a reviewer says is still open was found twice, though it is not listed again; what is resolved was not`, () => {
		const w = world();
		w.play({
			review: [
				bad(finding("a", "one"), finding("b", "two")),
				{
					...bad(finding("c", "three")),
					earlier: [
						{ key: "a", open: false },
						{ key: "b", open: true },
					],
				},
			],
		});
		assert.deepEqual(
			w.all("converged").map((e) => e.findings.map((f) => f.key)),
			[["b"]],
		);
		const resolved = world();
		resolved.play({ review: [bad(finding("a", "one")), { ...bad(finding("c", "three")), earlier: [{ key: "a", open: false }] }, null] });
		assert.deepEqual(resolved.all("converged"), []);
		assert.deepEqual(
			resolved.find("@run", "review").lastFindings.map((f) => f.key),
			["c"],
			"the next reviewer is shown what is open",
		);
	});

	test(`G-18 ${kind}: a round that nobody could read does not make the findings of the round before forgotten`, () => {
		const w = world();
		w.play({ review: [bad(finding("a", "one")), { signal: "unreadable" }, bad(finding("a", "one"))] });
		assert.equal(w.all("converged").length, 1);
	});
}
