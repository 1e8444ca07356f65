// The steps of a story: attempts with their verdicts, checks with what they printed, notes, and the way to each session.
import { workerText } from "../../core/assign/worker-text.ts";
import type { Attempt, StepDetail, StepView, StoryDetail, StoryView } from "../api/types.ts";
import { Badge } from "../parts/badge.tsx";
import { Checks } from "../parts/checks.tsx";
import { Fold } from "../parts/fold.tsx";
import { Output } from "../parts/output.tsx";
import { StepName } from "../parts/step-name.tsx";
import { flat, plain } from "../plain.ts";
import { hrefOf } from "../route.ts";
import { clock, moneyText, span, statusWord, timeOf } from "../words/words.ts";

interface StepListProps {
	readonly run: string;
	readonly story: StoryView;
	/** null: not there yet. */
	readonly detail: StoryDetail | null;
}

export function StepList({ run, story, detail }: StepListProps) {
	// Steps of pawl itself, such as the merge, are shown once something happened in them.
	const steps: readonly (StepView | StepDetail)[] = detail?.steps.filter((step) => !step.internal || step.attempt > 0) ?? story.steps;
	return (
		<ol class="list">
			{steps.map((step) => (
				<Step key={step.id} run={run} story={story.id} step={step} attempts={"attempts" in step ? step.attempts : []} />
			))}
		</ol>
	);
}

interface StepProps {
	readonly run: string;
	readonly story: string;
	readonly step: StepView;
	readonly attempts: readonly Attempt[];
}

function Step({ run, story, step, attempts }: StepProps) {
	const checks = attempts.flatMap((one) => one.checks);
	const remarks = attempts.flatMap((one) => one.remarks);
	return (
		<li class="row step-row" data-item={step.id}>
			<div class="step-head">
				<a data-open class="said" href={hrefOf({ screen: "session", run, story, step: step.id })}>
					<StepName step={step} />
				</a>
				<Badge status={step.status} />
				<span class="soft number">
					{[
						step.tries > 1 ? `attempt ${step.tries}` : null,
						step.elapsed_ms === null ? null : span(step.elapsed_ms),
						step.cost_usd === null ? null : moneyText(step.cost_usd),
					]
						.filter((part) => part !== null)
						.join(" · ")}
				</span>
			</div>
			<p class="said soft step-about">{flat(step.description)}</p>
			{step.error !== null && <p class="said bad-text">{plain(step.error)}</p>}
			{step.skip_reason !== null && <p class="said soft">skipped: {plain(step.skip_reason)}</p>}
			<div class="folds">
				{attempts.length > 1 && (
					<Fold name="Attempts" note={String(attempts.length)}>
						{() => <Attempts attempts={attempts} />}
					</Fold>
				)}
				{checks.length > 0 && (
					<Fold name="Checks" note={`${checks.filter((check) => check.exit_code === 0).length} of ${checks.length} passed`}>
						{() => <Checks checks={checks} />}
					</Fold>
				)}
				{remarks.length > 0 && (
					<Fold name="Noticed" note={String(remarks.length)}>
						{() => (
							<ul class="plain-list">
								{remarks.map((remark) => (
									<li key={remark} class="said">
										{plain(remark)}
									</li>
								))}
							</ul>
						)}
					</Fold>
				)}
				{step.notes !== null && step.notes !== "" && (
					<Fold name="Notes" note="for the next step">
						{() => <Output text={step.notes ?? ""} />}
					</Fold>
				)}
			</div>
		</li>
	);
}

function Attempts({ attempts }: { readonly attempts: readonly Attempt[] }) {
	return (
		<ul class="plain-list attempts">
			{attempts.map((one) => (
				<li key={`${one.number} ${one.role}`}>
					<span class="number soft">{clock(one.started_at)}</span> <span class="strong">attempt {one.nth}</span>{" "}
					<span class="soft">{[one.role, workerText(one)].filter((part) => part !== "").join(", ")}</span>{" "}
					{one.signal === null ? "at work" : statusWord(one.signal)}
					<span class="soft number">
						{one.ended_at === null ? "" : `, ${span((timeOf(one.ended_at) ?? 0) - (timeOf(one.started_at) ?? 0))}`}
						{one.cost_usd === null ? "" : `, ${moneyText(one.cost_usd)}`}
					</span>
					{one.reason !== null && <div class="said soft">{flat(one.reason)}</div>}
				</li>
			))}
		</ul>
	);
}
