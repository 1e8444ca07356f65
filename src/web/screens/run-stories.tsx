// The stories of a run by the attention they need, its questions, and its own steps.
import type { RunView, StepView, StoryView } from "../api/types.ts";
import { Badge } from "../parts/badge.tsx";
import { QuestionList } from "../parts/question.tsx";
import { StepDots } from "../parts/step-dots.tsx";
import { StepName } from "../parts/step-name.tsx";
import { flat } from "../plain.ts";
import { hrefOf } from "../route.ts";
import { inbox } from "../state/live.ts";
import { about } from "../state/now.ts";
import { ATTENTION, type Attention, attentionOf, storyWord, whyOf } from "../words/attention.ts";
import { clock, countOf, moneyText, span, statusWord } from "../words/words.ts";

export function StoriesTab({ run }: { readonly run: RunView }) {
	const asked = (inbox.value ?? []).filter((question) => question.run === run.run);
	return (
		<>
			<QuestionList questions={asked} inRun />
			<section aria-label="Stories">
				{run.stories.length === 0 ? <p class={run.steps.length === 0 ? "empty" : "soft"}>No stories yet.</p> : <Groups run={run} />}
			</section>
			{run.steps.length > 0 && <OwnSteps run={run} />}
		</>
	);
}

function Groups({ run }: { readonly run: RunView }) {
	const groups = new Map<Attention, StoryView[]>();
	for (const story of run.stories) {
		const attention = attentionOf(run, story, about.value);
		groups.set(attention, [...(groups.get(attention) ?? []), story]);
	}
	return (
		<>
			{ATTENTION.map(([attention, name]) => {
				const stories = groups.get(attention);
				return stories === undefined ? null : (
					<div key={attention} class="group">
						<h2>
							{name} <span class="soft">{stories.length}</span>
						</h2>
						<ul class="list">
							{stories.map((story) => (
								<Story key={story.id} run={run} story={story} attention={attention} />
							))}
						</ul>
					</div>
				);
			})}
		</>
	);
}

function Story({ run, story, attention }: { readonly run: RunView; readonly story: StoryView; readonly attention: Attention }) {
	const why = whyOf(run, story);
	const step = attention === "done" ? null : story.current_step;
	return (
		<li class="row story-row" data-item={story.id}>
			<div class="row-main">
				<a data-open href={hrefOf({ screen: "story", run: run.run, story: story.id })} class="said">
					<span class="mono id">{story.id}</span> <span class="strong">{flat(story.title)}</span>
				</a>
				{attention !== "done" && why !== undefined && (
					<span class={`said why ${attention === "failed" ? "bad-text" : "soft"}`}>
						{statusWord(why.type ?? "")} {why.what}
						{why.reason === "" ? "" : `: ${flat(why.reason)}`}
					</span>
				)}
				{attention === "done" && story.excused && <span class="said why soft">nothing was changed for it: {flat(story.excused)}</span>}
				{attention === "failed" && why === undefined && story.error !== null && <span class="said why bad-text">{flat(story.error)}</span>}
			</div>
			<div class="row-state">
				<Badge status={storyWord(attention, story)} />
			</div>
			<div class="row-step">
				<StepDots steps={story.steps} />
				<span class="soft">{step === null ? "" : stepText(step)}</span>
			</div>
			<div class="row-cost number soft">
				<span>{story.elapsed_ms === null ? "" : span(story.elapsed_ms)}</span>
				<span>{story.cost_usd === null ? "" : moneyText(story.cost_usd)}</span>
			</div>
		</li>
	);
}

const stepText = (step: StepView): string =>
	`${statusWord(step.type)}${step.tries > 1 ? `, attempt ${step.tries}` : ""}${step.not_before === null ? "" : `, not before ${clock(step.not_before)}`}`;

/** Steps that belong to no story, such as the plan at the start and the last checks. */
function OwnSteps({ run }: { readonly run: RunView }) {
	return (
		<div class="group">
			<h2>
				Steps of the run <span class="soft">{run.steps.length}</span>
			</h2>
			<ul class="list">
				{run.steps.map((step) => (
					<li key={step.id} class="row story-row" data-item={step.id}>
						<div class="row-main">
							<a data-open class="said" href={hrefOf({ screen: "session", run: run.run, story: "run", step: step.id })}>
								<StepName step={step} />
							</a>
							<span class="soft said">{flat(step.error ?? step.description)}</span>
						</div>
						<div class="row-state">
							<Badge status={step.status} />
						</div>
						<div class="row-step soft">{step.tries > 1 ? countOf(step.tries, "attempt") : ""}</div>
						<div class="row-cost number soft">
							<span>{step.elapsed_ms === null ? "" : span(step.elapsed_ms)}</span>
							<span>{step.cost_usd === null ? "" : moneyText(step.cost_usd)}</span>
						</div>
					</li>
				))}
			</ul>
		</div>
	);
}
