// The head of a run: status in words, time, money, tokens, limits, and what can be done.
import type { RunView } from "../api/types.ts";
import { Badge } from "../parts/badge.tsx";
import { Bar } from "../parts/bar.tsx";
import { Fact, TokensFact } from "../parts/fact.tsx";
import { plain } from "../plain.ts";
import { now } from "../state/now.ts";
import { clock, costText, countOf, dateText, moneyText, runWord, span, timeOf } from "../words/words.ts";
import { RunActions } from "./run-actions.tsx";

export function RunHeader({ run }: { readonly run: RunView }) {
	const word = runWord(run);
	return (
		<div class="run-head">
			<div class="run-line">
				<Badge status={word} />
				<span class="soft said">{standing(run, word)}</span>
				<RunActions run={run} />
			</div>
			{run.reason !== null && run.status !== "completed" && <p class="said reason">{plain(run.reason)}</p>}
			<Facts run={run} />
		</div>
	);
}

/** What a program printed is no script. */
const isWebAddress = (address: string | null): address is string => address !== null && /^https?:\/\//.test(address);

const shortAddress = (address: string): string => plain(address.replace(/^https?:\/\//, ""));

function standing(run: RunView, word: string): string {
	if (word === "cut off") return "the process that drove it ended: nothing goes on until it is resumed";
	if (word === "stopping") return `asked to ${run.stopping === "interrupt" ? "stop" : run.stopping}`;
	if (word === "waiting") return run.waiting.length === 0 ? "" : `${countOf(run.waiting.length, "question")} for you`;
	if (run.loop?.held) return `held: ${plain(run.loop.held)}`;
	return "";
}

/** How long it has gone on: it counts while somebody drives it. */
const elapsed = (run: RunView): number =>
	run.driven && run.ended_at === null && timeOf(run.created_at) !== null
		? Math.max(run.elapsed_ms, now.value - (timeOf(run.created_at) ?? now.value))
		: run.elapsed_ms;

function Facts({ run }: { readonly run: RunView }) {
	const cost = run.budgets["cost"];
	const time = run.budgets["time"];
	const limited = run.reasons.filter(({ until }) => until !== undefined && until > now.value);
	return (
		<dl class="facts">
			{run.progress && (
				<Fact name="Progress">
					<Bar
						share={run.progress.percent / 100}
						label={`${run.progress.percent} % done`}
						tone={run.status === "completed" ? "good" : "busy"}
					/>
					{run.progress.stories_completed} of {run.progress.stories_total}
					{run.progress.eta_ms ? <span class="soft">, about {span(run.progress.eta_ms)} left</span> : ""}
				</Fact>
			)}
			{run.loop && (
				<Fact name="Iteration">
					{run.loop.iteration}
					{run.loop.max_iterations !== null && <span class="soft"> of {run.loop.max_iterations}</span>}
					{run.loop.role !== null && <span class="soft">, {run.loop.role}</span>}
				</Fact>
			)}
			<Fact name="Cost">
				{costText(run)}
				{cost && cost.limit > 0 && (
					<>
						<span class="soft"> of {moneyText(cost.limit)}</span>
						<Bar share={cost.spent / cost.limit} label={`${Math.round((100 * cost.spent) / cost.limit)} % of the limit`} tone="held" />
					</>
				)}
			</Fact>
			<TokensFact of={run} />
			<Fact name="Elapsed">
				<time dateTime={run.created_at ?? ""} title={`since ${dateText(run.created_at)}`}>
					{span(elapsed(run))}
				</time>
				{time && time.limit > 0 && (
					<span class="soft">
						{" "}
						({span(time.spent)} of {span(time.limit)} at work)
					</span>
				)}
			</Fact>
			<Fact name="Agents">
				{run.driven ? (
					<>
						{run.stories.filter((story) => story.status === "in_progress").length} <span class="soft">of {run.agents} at work</span>
					</>
				) : (
					run.agents
				)}
			</Fact>
			<Fact name="Workflow">
				<span class="said">
					{run.workflow}
					{run.base !== null && <span class="soft"> on {run.base}</span>}
				</span>
			</Fact>
			{isWebAddress(run.pull_request) && (
				<Fact name="Pull request">
					<a href={run.pull_request} target="_blank" rel="noopener noreferrer">
						{shortAddress(run.pull_request)}
					</a>
				</Fact>
			)}
			{limited.map(({ story, step, until }) => (
				<Fact key={`${story} ${step}`} name="Usage limit">
					{story} goes on at {clock(until)}, <span class="soft">in {span((until ?? 0) - now.value)}</span>
				</Fact>
			))}
		</dl>
	);
}
