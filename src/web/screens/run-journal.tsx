// The journal of a run: every event, in order, searchable.
import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { LongList } from "../parts/long-list.tsx";
import { SearchBox } from "../parts/search-box.tsx";
import { useJournal } from "../state/use-run.ts";
import { type JournalLine, lineOf } from "../words/journal-line.ts";
import { clock } from "../words/words.ts";

export function JournalTab({ run }: { readonly run: string }) {
	const { value } = useJournal(run).value;
	const wanted = useSignal("");
	const newest = useSignal(true);
	const lines = useMemo(() => (value ?? []).map(lineOf), [value]);
	const search = wanted.value.trim().toLowerCase();
	const found =
		search === "" ? lines : lines.filter((line) => `${line.subject} ${line.what} ${line.detail}`.toLowerCase().includes(search));
	const shown = newest.value ? found.toReversed() : found;
	if (value === null) return <p class="soft">loading…</p>;
	return (
		<>
			<div class="tools">
				<SearchBox of="the journal" value={wanted.value} onInput={(text) => (wanted.value = text)} />
				<label class="check">
					<input type="checkbox" checked={newest.value} onChange={(event) => (newest.value = event.currentTarget.checked)} />
					newest first
				</label>
				<span class="soft number">
					{found.length === lines.length ? `${lines.length} events` : `${found.length} of ${lines.length} events`}
				</span>
			</div>
			<LongList count={shown.length} name="Journal" estimate={28} keyOf={(index) => shown[index]?.version ?? index}>
				{(index) => {
					const line = shown[index];
					return line && <Line line={line} />;
				}}
			</LongList>
		</>
	);
}

function Line({ line }: { readonly line: JournalLine }) {
	return (
		<div class={`journal-line ${line.tone}`}>
			<span class="soft number">{line.version}</span>
			<span class="soft number">{clock(line.at)}</span>
			<span class="mono">{line.subject}</span>
			<span class="said">
				<span class="strong">{line.what}</span> {line.detail}
			</span>
		</div>
	);
}
