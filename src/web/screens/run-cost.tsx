// Where the money went: by story, by step, by model and by tier.
import { useComputed } from "@preact/signals";
import { at, get } from "../api/request.ts";
import type { CostRow, CostView, RunView } from "../api/types.ts";
import { Bar } from "../parts/bar.tsx";
import { Fact } from "../parts/fact.tsx";
import { Table } from "../parts/table.tsx";
import { hrefOf } from "../route.ts";
import { useFromRun } from "../state/use-run.ts";
import { costText, moneyText, statusWord, tokensText } from "../words/words.ts";

export function CostTab({ run }: { readonly run: RunView }) {
	const loaded = useFromRun(run.run, () => get<CostView>(`runs/${at(run.run)}/cost`));
	const cost = useComputed(() => loaded.value.value).value;
	if (cost === null) return <p class="soft">loading…</p>;
	if (cost.sessions === 0) return <p class="empty">Nothing was spent yet.</p>;
	const known = new Set(run.stories.map((story) => story.id));
	return (
		<>
			<dl class="facts">
				<Fact name="In all">{costText(cost)}</Fact>
				<Fact name="Sessions">{cost.sessions}</Fact>
				{cost.cost_per_completed_story_usd !== null && (
					<Fact name="Per completed story">{moneyText(cost.cost_per_completed_story_usd)}</Fact>
				)}
			</dl>
			<CostTable
				name="By story"
				rows={cost.by_story}
				linkOf={(name) => (known.has(name) ? hrefOf({ screen: "story", run: run.run, story: name }) : null)}
			/>
			<CostTable name="By step" rows={cost.by_step_type} />
			{cost.by_model && <CostTable name="By model" rows={cost.by_model} />}
			{cost.by_tier && <CostTable name="By tier" rows={cost.by_tier} />}
			{cost.by_agent && <CostTable name="By agent" rows={cost.by_agent} />}
		</>
	);
}

interface CostTableProps {
	readonly name: string;
	readonly rows: readonly CostRow[];
	readonly linkOf?: (name: string) => string | null;
}

function CostTable({ name, rows, linkOf = () => null }: CostTableProps) {
	if (rows.length === 0) return null;
	const sorted = rows.toSorted((a, b) => (b.cost_usd ?? 0) - (a.cost_usd ?? 0) || (b.output_tokens ?? 0) - (a.output_tokens ?? 0));
	const most = Math.max(...rows.map((row) => row.cost_usd ?? 0), 0);
	const named = (row: CostRow) => {
		const link = linkOf(row.name);
		return link === null ? statusWord(row.name) : <a href={link}>{row.name}</a>;
	};
	const share = (row: CostRow) => (
		<Bar share={most === 0 ? 0 : (row.cost_usd ?? 0) / most} label={`${moneyText(row.cost_usd)} of at most ${moneyText(most)}`} />
	);
	return (
		<Table
			title={name}
			of={name.replace("By ", "")}
			rows={sorted}
			nameOf={(row) => row.name}
			name={named}
			columns={[
				{ name: "share", picture: true, cell: share },
				{ name: "cost", cell: costText },
				{ name: "sessions", cell: (row) => row.sessions },
				{ name: "in", cell: (row) => tokensText(row.input_tokens) },
				{ name: "out", cell: (row) => tokensText(row.output_tokens) },
			]}
		/>
	);
}
