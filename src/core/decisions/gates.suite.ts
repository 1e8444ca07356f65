// Gates: several roles look at the same thing, and the worst verdict of those who block decides.
import type { Member, ReportGrammar, Role, Route } from "../definition.ts";
import { cost, failedCheck, findings, stories, type TypePart } from "../testing/builders.suite.ts";
import { World } from "../testing/world.suite.ts";
import { type Scenarios, untold } from "./tell.suite.ts";

const again: Route = { action: "retry" };
const back: Route = { action: "goto", target: "work", max: 2, per: "story", exhausted: { action: "wait", target: "person" } };
const member = (role: string, blocking = true): Member => ({ role, blocking });
const report: ReportGrammar = { notes: "text", keys: ["STATUS"], signals: [{ signal: "fine", when: { STATUS: "fine" } }] };
const role = (name: string): Role => ({ name, description: "", report, can: [] });
const resumable = { agent: "claude", session: "s-1" };

const gate = (members: readonly Member[], more: TypePart = {}): World =>
	untold(
		new World(
			stories(
				{
					work: {},
					gate: {
						kind: "gate",
						writes: "none",
						verdicts: ["fine", "poor", "bad"],
						members,
						...more,
						on: {
							fine: { action: "next" },
							poor: back,
							bad: { action: "fail", target: "story" },
							unreadable: again,
							boundary_violation: again,
							...more.on,
						},
					},
					last: { on: { bad: { action: "goto", target: "gate" } } },
				},
				{},
				{ roles: { x: role("x"), y: role("y"), z: role("z") } },
			),
			{ stories: ["A"] },
		).until("gate"),
	);
const both = (more: TypePart = {}) => gate([member("x"), member("y")], more);

export const GATES: Scenarios = {
	"all are fine": () => {
		const w = both();
		w.end("gate y", { signal: "fine", findings: findings("f"), notes: "n" });
		w.end("gate x", { signal: "fine", earlier: [{ key: "e", open: true }] });
		return w;
	},
	"the worst verdict decides, with the words of the one who gave it and the findings of all, in the order of the seats": () => {
		const w = both();
		w.end("gate y", { signal: "poor", findings: findings("b"), notes: "poor work", fields: { WHY: "slow" } });
		w.end("gate x", { signal: "fine", findings: findings("a"), earlier: [{ key: "e", open: false }] });
		return w;
	},
	"of two equal verdicts the first seat decides": () => {
		const w = both();
		w.end("gate y", { signal: "poor", error: "second" });
		w.end("gate x", { signal: "poor", error: "first" });
		return w;
	},
	"a failure outweighs the worst verdict, and so does a signal that the gate does not know": () => {
		const w = gate([member("x"), member("y"), member("z")], { on: { strange: { action: "skip" } } });
		w.end("gate x", { signal: "bad" });
		w.end("gate z", { signal: "strange" });
		w.end("gate y", { signal: "fine" });
		return w;
	},
	"a failure outweighs a signal that the gate does not know": () => {
		const w = gate([member("x"), member("y")], { on: { strange: { action: "skip" }, agent_error: again } });
		w.end("gate x", { signal: "strange" });
		w.end("gate y", { signal: "agent_error", error: "exit 1" });
		return w;
	},
	"who only advises decides nothing; the findings are kept": () => {
		const w = gate([member("x"), member("z", false)]);
		w.end("gate z", { signal: "bad", findings: findings("a", "b") });
		w.end("gate x", { signal: "fine" });
		return w;
	},
	"where all only advise, nobody decides": () => {
		const w = gate([member("z", false)]);
		w.end("gate z", { signal: "fine" });
		return w;
	},
	"a failing check of a member is its error": () => {
		const w = both({ on: { checks_failed: back } });
		w.end("gate x", { signal: "fine", checks: [failedCheck()] });
		w.end("gate y", { signal: "fine" });
		return w;
	},
	"a failing check that a person has accepted is nobody's error any more": () => {
		const w = both({ on: { offline: { action: "wait", target: "person" } } });
		const checks = [{ ...failedCheck("net"), signal: "offline" }];
		w.end("gate x", { signal: "fine", checks });
		w.end("gate y", { signal: "fine" });
		w.feed({ type: "decide", scope: null, step: null, verdict: "approve", reason: "it is down", by: { user: "ann", how: "cli" } });
		w.end("A last", { signal: "bad" });
		w.end("gate x", { signal: "fine", checks });
		return w;
	},
	"one of several wrote where none may: the round does not count, and in the next they run one after the other": () => {
		const w = both();
		w.end("gate x", { signal: "boundary_violation", error: "a.txt changed" });
		w.end("gate y", { signal: "fine" });
		w.end("gate x", { signal: "fine" });
		w.end("gate y", { signal: "boundary_violation", error: "a.txt changed" });
		w.end("gate x", { signal: "fine" });
		w.end("gate y", { signal: "fine" });
		return w;
	},
	"they run one after the other, and a person stops the run: the next one does not start before it is resumed": () => {
		const w = both();
		w.end("gate x", { signal: "boundary_violation", error: "a.txt changed" });
		w.end("gate y", { signal: "fine" });
		w.feed({ type: "stop", how: "pause" });
		w.end("gate x", { signal: "fine" });
		w.feed({ type: "resume" });
		w.end("gate y", { signal: "fine" });
		return w;
	},
	"G-13 they run one after the other, and the budget is used up: the next one does not start": () => {
		const w = both();
		w.end("gate x", { signal: "boundary_violation", error: "a.txt changed" });
		w.end("gate y", { signal: "fine" });
		w.feed({ type: "extend", budgets: { cost: 1 } });
		w.end("gate x", { signal: "fine", usage: cost(1) });
		w.feed({ type: "extend", budgets: { cost: 2 } });
		w.feed({ type: "resume" });
		return w;
	},
	"one alone wrote where it may not: it is known who it was": () => {
		const w = gate([member("x")]);
		w.end("gate x", { signal: "boundary_violation", error: "a.txt changed" });
		return w;
	},
	"a report that cannot be read is asked for again, alone, when the round ends": () => {
		const w = both();
		w.end("gate x", { signal: "unreadable", error: "no STATUS", resumable });
		w.end("gate y", { signal: "poor", notes: "n" });
		w.end("gate x", { signal: "fine" });
		return w;
	},
	"a report that lacks a part of what later steps are given is taken as it is": () => {
		const needs: ReportGrammar = { ...report, needs: ["PLAN", "RISKS"] };
		const w = both({ report: needs, verdicts: ["done"], on: { done: { action: "next" } } });
		w.end("gate x", { lacks: ["PLAN"] });
		w.end("gate y");
		return w;
	},
	"what the engine cannot judge, where rounds are compared": () => {
		const w = both({ on: { poor: { ...back, converged: { action: "fail", target: "story" } } } });
		w.end("gate x", { signal: "fine" });
		w.end("gate y", { signal: "poor", unclear: "was it y?", findings: findings("a") });
		w.feed({ type: "decide", scope: null, step: null, verdict: "approve", reason: "no" });
		w.end("A work");
		w.end("gate x", { signal: "fine" });
		w.end("gate y", { signal: "poor", findings: findings("a") });
		return w;
	},
	"two reports that cannot be read": () => {
		const w = both();
		w.end("gate x", { signal: "unreadable", resumable });
		w.end("gate y", { signal: "unreadable", resumable: { agent: "codex", session: "s-2" } });
		w.end("gate y", { signal: "fine" });
		w.end("gate x", { signal: "unreadable", error: "again", notes: "what it said" });
		return w;
	},
	"where another failed otherwise, nobody is asked": () => {
		const w = both({ on: { agent_error: again } });
		w.end("gate x", { signal: "unreadable", error: "no STATUS", resumable });
		w.end("gate y", { signal: "agent_error", error: "exit 1" });
		return w;
	},
	"what the engine cannot judge is asked when the round is complete, for all": () => {
		const w = both();
		w.end("gate x", { signal: "fine", unclear: "was it x?" });
		w.end("gate y", { signal: "poor", unclear: "was it y?", notes: "n", findings: findings("a") });
		w.feed({ type: "decide", scope: null, step: null, verdict: "approve", reason: "neither" });
		return w;
	},
	"a member is lost, the other ends": () => {
		const w = both();
		w.end("gate x", "lost");
		return w;
	},
	"a gate is stopped": () => {
		const w = both();
		w.end("gate x", { signal: "fine" });
		w.feed({ type: "stop", how: "pause" });
		w.end("gate y", "cancelled");
		w.feed({ type: "resume" });
		return w;
	},
	"a gate is stopped while all are at work: what each of them had used counts, also of one that ends by itself, and the round does not":
		() => {
			const w = gate([member("x"), member("y"), member("z")]);
			w.feed({ type: "extend", budgets: { cost: 6 } });
			w.feed({ type: "stop", how: "pause" });
			const { scope, step, attempt } = w.job("gate x");
			w.feed({ type: "attempt_cancelled", scope, step, attempt, reason: "paused by a person", usage: cost(5) });
			w.end("gate y", { signal: "bad", usage: cost(4), findings: findings("f") });
			w.end("gate z", "cancelled");
			w.feed({ type: "resume" });
			return w;
		},
	"a gate is stopped, and the last of its members ends by itself": () => {
		const w = both();
		w.feed({ type: "stop", how: "pause" });
		w.end("gate x", "cancelled");
		w.end("gate y", { signal: "fine" });
		w.feed({ type: "resume" });
		w.end("gate x", { signal: "fine" });
		w.end("gate y", { signal: "fine" });
		return w;
	},
	"rounds are compared: what was open and is found again means that the work does not converge": () => {
		const w = both({ on: { poor: { ...back, converged: { action: "fail", target: "story" } } } });
		w.end("gate x", { signal: "poor", findings: findings("a", "b") });
		w.end("gate y", { signal: "fine" });
		w.end("A work");
		w.end("gate x", { signal: "poor", findings: findings("b", "c"), earlier: [{ key: "a", open: false }] });
		w.end("gate y", { signal: "fine" });
		return w;
	},
};
