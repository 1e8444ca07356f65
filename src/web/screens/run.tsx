// Run: what it is, how it stands, what can be done with it, and its parts on tabs.
import type { RunView } from "../api/types.ts";
import { Crumbs } from "../parts/crumbs.tsx";
import { flat, plain } from "../plain.ts";
import { hrefOf, RUN_TABS, type RunTab } from "../route.ts";
import { useRun } from "../state/use-run.ts";
import { CostTab } from "./run-cost.tsx";
import { GraphTab } from "./run-graph.tsx";
import { RunHeader } from "./run-header.tsx";
import { JournalTab } from "./run-journal.tsx";
import { StoriesTab } from "./run-stories.tsx";
import { TimelineTab } from "./run-timeline.tsx";

const NAMES: Readonly<Record<RunTab, string>> = {
	stories: "Stories",
	graph: "Graph",
	timeline: "Timeline",
	cost: "Cost",
	journal: "Journal",
};

export function RunScreen({ run, tab }: { readonly run: string; readonly tab: RunTab }) {
	const { value, problem } = useRun(run).value;
	if (value === null)
		return (
			<>
				<h1>{problem === null ? "Run" : "No such run"}</h1>
				<p class="soft said">{problem === null ? "loading…" : plain(problem)}</p>
			</>
		);
	return (
		<>
			<Crumbs run={run} />
			<h1 class="said">{flat(value.title) || run}</h1>
			<RunHeader run={value} />
			<div class="tabs">
				{RUN_TABS.map((one) => (
					<a
						key={one}
						data-name={NAMES[one]}
						href={hrefOf({ screen: "run", run, tab: one })}
						aria-current={one === tab ? "page" : undefined}
					>
						{NAMES[one]}
					</a>
				))}
			</div>
			<Tab tab={tab} run={value} />
		</>
	);
}

function Tab({ tab, run }: { readonly tab: RunTab; readonly run: RunView }) {
	switch (tab) {
		case "stories":
			return <StoriesTab run={run} />;
		case "graph":
			return <GraphTab run={run} />;
		case "timeline":
			return <TimelineTab run={run} />;
		case "cost":
			return <CostTab run={run} />;
		case "journal":
			return <JournalTab run={run.run} />;
	}
}
