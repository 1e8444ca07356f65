// Story: what it is, how it stands, its criteria, what it did, step by step, and what it changed.
import { at, get } from "../api/request.ts";
import type { Check, Criterion, Proof, RunView, StoryDetail, StoryView } from "../api/types.ts";
import { Badge } from "../parts/badge.tsx";
import { Crumbs } from "../parts/crumbs.tsx";
import { Fact, TokensFact } from "../parts/fact.tsx";
import { Fold } from "../parts/fold.tsx";
import { LazyDiff } from "../parts/lazy-diff.tsx";
import { Output } from "../parts/output.tsx";
import { QuestionList } from "../parts/question.tsx";
import { flat, plain } from "../plain.ts";
import { hrefOf } from "../route.ts";
import { inbox } from "../state/live.ts";
import { about } from "../state/now.ts";
import { useFromRun, useRun } from "../state/use-run.ts";
import { attentionOf, storyWord, whyOf } from "../words/attention.ts";
import { costText, countOf, span } from "../words/words.ts";
import { History } from "./story-history.tsx";
import { StepList } from "./story-steps.tsx";

export function StoryScreen({ run, story: id }: { readonly run: string; readonly story: string }) {
	const { value, problem } = useRun(run).value;
	const story = value?.stories.find((one) => one.id === id);
	const crumbs = <Crumbs run={run} title={value?.title ?? null} />;
	if (value === null || story === undefined)
		return (
			<>
				{crumbs}
				<h1 class="said">{id}</h1>
				<p class="soft said">{problem !== null ? plain(problem) : value === null ? "loading…" : "The run has no such story."}</p>
			</>
		);
	return (
		<>
			{crumbs}
			<StoryBody run={value} story={story} />
		</>
	);
}

function StoryBody({ run, story }: { readonly run: RunView; readonly story: StoryView }) {
	const attention = attentionOf(run, story, about.value);
	const asked = (inbox.value ?? []).filter((question) => question.run === run.run && question.story === story.id);
	const why = whyOf(run, story);
	const hasSteps = story.steps.length > 0;
	const isOpen = story.status !== "completed" && story.status !== "failed";
	const detail = useFromRun(run.run, () => get<StoryDetail>(`runs/${at(run.run, "stories", story.id)}`)).value.value;
	return (
		<>
			<h1 class="said">
				<span class="mono id">{story.id}</span> {flat(story.title)}
			</h1>
			<div class="run-head">
				<div class="run-line">
					<Badge status={storyWord(attention, story)} />
					<span class="said">
						{why === undefined ? "" : `${why.type ?? ""} ${why.what}`}
						{why?.reason ? `: ${flat(why.reason)}` : ""}
						{why === undefined && story.error !== null ? flat(story.error) : ""}
						{story.excused ? `nothing was changed for it: ${flat(story.excused)}` : ""}
					</span>
				</div>
				<StoryFacts story={story} run={run.run} />
			</div>
			<QuestionList questions={asked} inRun />
			{story.description && <p class="said prose">{plain(story.description)}</p>}
			<section class="group" aria-labelledby="criteria">
				<h2 id="criteria">Acceptance criteria</h2>
				{(story.acceptance_criteria ?? []).length === 0 ? (
					<p class="soft">None were given.</p>
				) : (
					<ul class="criteria">
						{story.acceptance_criteria?.map((criterion, i) => (
							<CriterionItem key={criterion} text={criterion} judged={detail?.criteria?.[i]} />
						))}
					</ul>
				)}
				{detail !== null && <Evidence detail={detail} />}
			</section>
			<Fold name="Output" note="the end of its last message">
				{() => (story.output ? <Output text={story.output} /> : <p class="soft">There is no message of its own{isOpen ? " yet" : ""}.</p>)}
			</Fold>
			{hasSteps || isOpen ? (
				<section class="group" aria-labelledby="steps">
					<h2 id="steps">
						Steps <span class="soft">{story.steps.length}</span>
					</h2>
					{hasSteps ? <StepList run={run.run} story={story} detail={detail} /> : <p class="soft">It has no steps yet.</p>}
				</section>
			) : (
				<p class="soft group">The steps of the run worked on it; what they said and changed is there.</p>
			)}
			{detail !== null && <History detail={detail} />}
			{hasSteps && (
				<section class="group" aria-labelledby="changes">
					<h2 id="changes">Changes</h2>
					<Fold name="Diff" note="what it changed in the repository">
						{() => <LazyDiff run={run.run} story={story.id} version={story.status === "completed" ? -1 : run.version} />}
					</Fold>
				</section>
			)}
		</>
	);
}

/** A criterion and how it was shown. */
function CriterionItem({ text, judged }: { readonly text: string; readonly judged: Criterion | undefined }) {
	const met = judged?.met ?? null;
	return (
		<li class={`said ${met === null ? "" : met ? "met" : "unmet"}`}>
			{plain(text)}
			{judged !== undefined && (
				<div class="soft proofs">
					{met === null ? "nobody has judged it" : null}
					{judged.evidence.map((proof) => (
						<div key={`${proof.step} ${proof.text}`}>
							<span class={proof.met ? "good-text" : "bad-text"}>{proof.met ? "met" : "not met"}</span>
							{`: ${proofWords(proof)} `}
							<span class="mono">{proof.step}</span>
							{proof.quote !== null && <div>“{plain(proof.quote)}”</div>}
						</div>
					))}
				</div>
			)}
		</li>
	);
}

const proofWords = ({ kind, text }: Proof): string =>
	kind === "command" ? `pawl looked: ${flat(text)}` : kind === "verdict" ? `${flat(text)}, of the work as a whole` : flat(text);

/** How each other check ended when it ran last, and where. */
function Evidence({ detail }: { readonly detail: StoryDetail }) {
	const last = new Map<string, { readonly check: Check; readonly step: string }>();
	const shown = (detail.criteria ?? []).flatMap(({ evidence }) => evidence.map(({ text }) => text));
	for (const step of detail.steps)
		for (const attempt of step.attempts)
			for (const check of attempt.checks)
				if (!shown.some((text) => text.includes(`\`${check.command}\``))) last.set(check.name, { check, step: step.id });
	if (last.size === 0) return null;
	return (
		<p class="evidence">
			<span class="soft">Checked by</span>{" "}
			{[...last.values()].map(({ check, step }) => (
				<span key={check.name} class="said">
					{flat(check.name)}{" "}
					<span class={check.exit_code === 0 ? "good-text" : "bad-text"}>{check.exit_code === 0 ? "passed" : "failed"}</span>{" "}
					<span class="mono soft">{step}</span>
				</span>
			))}
		</p>
	);
}

function StoryFacts({ run, story }: { readonly run: string; readonly story: StoryView }) {
	return (
		<dl class="facts">
			<Fact name="Retries">{countOf(story.retry_count ?? 0, "retry", "retries")}</Fact>
			{story.elapsed_ms !== null && <Fact name="Elapsed">{span(story.elapsed_ms)}</Fact>}
			{story.sessions > 0 && (
				<>
					<Fact name="Cost">{costText(story)}</Fact>
					<TokensFact of={story} />
				</>
			)}
			{story.slot !== null && <Fact name="Agent">{story.slot}</Fact>}
			{story.depends_on.length > 0 && (
				<Fact name="Depends on">
					{story.depends_on.map((id) => (
						<a key={id} class="mono" href={hrefOf({ screen: "story", run, story: id })}>
							{id}{" "}
						</a>
					))}
				</Fact>
			)}
		</dl>
	);
}
