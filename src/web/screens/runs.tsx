// Runs: every run of the repository, newest first, whoever started it.
import type { RunRow } from "../api/types.ts";
import { Badge } from "../parts/badge.tsx";
import { Bar } from "../parts/bar.tsx";
import { flat } from "../plain.ts";
import { hrefOf } from "../route.ts";
import { moreRuns, runs, showMoreRuns } from "../state/live.ts";
import { about } from "../state/now.ts";
import { ago, countOf, moneyText, runWord } from "../words/words.ts";

export function RunsScreen() {
	const all = runs.value;
	return (
		<>
			<h1>Runs</h1>
			{all === null ? <p class="soft">loading…</p> : all.length === 0 ? <NoRuns /> : <RunList all={all} />}
		</>
	);
}

function NoRuns() {
	return (
		<div class="empty">
			<p class="strong">No runs yet.</p>
			<p>
				Start one here with <a href={hrefOf({ screen: "new" })}>New run</a>, or in the repository:
			</p>
			<pre class="command">pawl run dynamic --prd prd.json</pre>
			<p class="soft">It appears here by itself.</p>
		</div>
	);
}

function RunList({ all }: { readonly all: readonly RunRow[] }) {
	return (
		<>
			<ul class="list">
				{all.map((row) => (
					<Row key={row.run} row={row} />
				))}
			</ul>
			{moreRuns.value && (
				<button type="button" onClick={showMoreRuns}>
					Show more
				</button>
			)}
		</>
	);
}

function Row({ row }: { readonly row: RunRow }) {
	const word = runWord(row);
	const { progress } = row;
	return (
		<li class="row run-row" data-item={row.run}>
			<div class="row-main">
				<a data-open class="strong said" href={hrefOf({ screen: "run", run: row.run, tab: "stories" })}>
					{flat(row.title) || row.run}
				</a>
				<span class="soft said">
					{row.workflow} · <time dateTime={row.created_at ?? ""}>{ago(row.created_at, about.value)}</time>
				</span>
			</div>
			<div class="row-state">
				<Badge status={word} />
				{(row.waiting ?? 0) > 0 && <span class="needs">needs you: {countOf(row.waiting ?? 0, "question")}</span>}
			</div>
			<div class="row-progress">
				{progress ? (
					<>
						<Bar
							share={progress.percent / 100}
							label={`${progress.percent} % done`}
							tone={word === "completed" ? "good" : word === "failed" ? "bad" : "busy"}
						/>
						<span class="number">
							{progress.stories_completed}/{progress.stories_total}
							<span class="soft"> stories</span>
						</span>
					</>
				) : (
					<span class="soft">no stories yet</span>
				)}
			</div>
			<div class="row-cost number">
				{moneyText(row.cost_usd)}
				{row.max_cost_usd !== null && row.max_cost_usd !== undefined && <span class="soft"> of {moneyText(row.max_cost_usd)}</span>}
			</div>
		</li>
	);
}
