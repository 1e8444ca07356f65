// A gate: several roles look at the same thing at once, each blocking or advisory. They share a tree. If one of them wrote in it, nobody
// knows which one: that round does not count, and in the next one they run one after the other, to find out.
import { failedIn } from "../check/accepted.ts";
import { failedChecks } from "../check/failure-text.ts";
import { isFailure, type Member, type StepType } from "../definition.ts";
import type { Outcome } from "../input.ts";
import type { ReportAsked, Step, Verdict } from "../model.ts";
import type { Decision } from "./decision.ts";
import type { EndedAttempt } from "./outcome.ts";
import { askPerson } from "./question.ts";
import { takeRoute } from "./route.ts";

const membersOf = ({ members = [] }: StepType): readonly Member[] => members;

/** The roles that start together in the next round. */
export const firstMembers = (step: Step, type: StepType): readonly string[] =>
	membersOf(type)
		// A member whose report could be read does not run again because another's could not.
		.filter((member) => !step.verdicts.some((verdict) => verdict.role === member.role))
		.slice(0, step.apart ? 1 : undefined)
		.map((member) => member.role);

/** A member has ended. When the last one has, the worst verdict of the blocking members decides. */
export function finishMember(
	d: Decision,
	{ scope, step, type, attempt, role }: EndedAttempt,
	outcome: Outcome,
	asks: ReportAsked | null,
): void {
	const { signal, findings, notes, fields, retryAt } = outcome;
	const error = outcome.error ?? failedChecks({ checks: failedIn(d.scope(scope), outcome.checks) });
	const advisory = membersOf(type).some((m) => m.role === role && !m.blocking);
	const said = { error, notes, fields, retryAt, ...(outcome.unclear === undefined ? {} : { unclear: outcome.unclear }) };
	const others = membersOf(type).filter((m) => m.role !== role);
	// The next one starts as every step does: not if the run is to stop, not if its budget is used up.
	const next = (step.apart ?? false) && others.some((m) => !step.verdicts.some((v) => v.role === m.role));
	d.emit({
		event: "attempt_reported",
		scope,
		step: step.id,
		attempt,
		role,
		signal,
		findings,
		...(outcome.earlier?.length ? { earlier: outcome.earlier } : {}),
		said,
		...(advisory ? { advisory } : {}),
		...(asks === null ? {} : { asks }),
		...(next ? { next } : {}),
	});
	if (advisory)
		for (const f of findings) d.emit({ event: "kept", scope, step: step.id, name: "advisories", text: `${role} [${f.key}] ${f.text}` });
	const now = d.step(scope, step.id);
	if (!now || now.running.length > 0 || next) return;
	const wrote = now.apart || now.verdicts.length < 2 ? undefined : now.verdicts.find((v) => v.signal === "boundary_violation");
	if (wrote) return takeRoute(d, scope, step.id, attempt, { ...wrote.said, signal: wrote.signal, apart: true });
	const unread = now.verdicts.flatMap((v) => v.asks ?? []);
	// Where a member failed in another way, the whole round runs again or ends.
	if (unread.length > 0 && now.verdicts.every((v) => v.asks !== undefined || !isFailure(v.signal))) {
		for (const one of unread) d.emit({ event: "report_asked", scope, step: step.id, ...one });
		return;
	}
	const seat = (verdict: Verdict): number => membersOf(type).findIndex((m) => m.role === verdict.role);
	const verdicts = now.verdicts.filter((v) => !v.advisory).toSorted((a, b) => seat(a) - seat(b));
	const decisive = worst(verdicts, type.verdicts ?? []);
	const result = {
		...decisive?.said,
		signal: decisive?.signal ?? "unreadable",
		findings: verdicts.flatMap((v) => v.findings),
		earlier: verdicts.flatMap((v) => v.earlier ?? []),
	};
	const doubts = now.verdicts.flatMap((v) => v.said?.unclear ?? []);
	if (doubts.length > 0) return askPerson(d, { scope, step: now }, { ...NOTHING_BROUGHT, ...result }, doubts.join("; "));
	takeRoute(d, scope, step.id, attempt, result);
}

const NOTHING_BROUGHT = { error: null, notes: null, fields: {}, stories: null, changed: false, checks: [], retryAt: null };

/** A failure outweighs every verdict, and so does a signal that the gate does not know. */
function worst(verdicts: readonly Verdict[], order: readonly string[]): Verdict | undefined {
	const rank = (v: Verdict): number =>
		isFailure(v.signal) ? order.length + 1 : order.includes(v.signal) ? order.indexOf(v.signal) : order.length;
	return verdicts.reduce<Verdict | undefined>((bad, v) => (bad === undefined || rank(v) > rank(bad) ? v : bad), undefined);
}
