// A log on the screen: search, follow, raw; tool calls as cards, thinking and results folded.
import { type Signal, useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { flat, jsonText, plain } from "../plain.ts";
import type { Log } from "../state/use-log.ts";
import type { Entry } from "../words/log-entry.ts";
import { LongList } from "./long-list.tsx";
import { coloured } from "./output.tsx";
import { SearchBox } from "./search-box.tsx";

export function LogView({ log, follows, raw }: { readonly log: Log; readonly follows: boolean; readonly raw: Signal<boolean> }) {
	const count = log.count.value;
	const wanted = useSignal("");
	const at = useSignal(0);
	/** null: as long as it goes on. */
	const follow = useSignal<boolean | null>(null);
	const open = useSignal<ReadonlySet<number>>(new Set());
	const search = wanted.value.trim().toLowerCase();
	const found = useMemo(() => matches(log.entries, search), [log.entries, search, count]);
	const following = search === "" && (follow.value ?? follows);
	const shown = found === null || found.length === 0 ? null : (found[at.value % found.length] ?? null);
	const toggle = (index: number): void => {
		const next = new Set(open.peek());
		if (!next.delete(index)) next.add(index);
		open.value = next;
	};
	const go = (by: number): void => {
		if (found !== null && found.length > 0) at.value = (at.peek() + by + found.length) % found.length;
	};
	return (
		<>
			<div class="tools">
				<SearchBox
					of="the session"
					value={wanted.value}
					onInput={(text) => {
						wanted.value = text;
						at.value = 0;
					}}
					onGo={go}
				/>
				{found !== null && (
					<span class="number" role="status" aria-label="Found">
						{found.length === 0 ? "not found" : `${(at.value % found.length) + 1} of ${found.length}`}
					</span>
				)}
				<label class="check">
					<input type="checkbox" checked={following} onChange={(event) => (follow.value = event.currentTarget.checked)} />
					follow
				</label>
				<label class="check">
					<input type="checkbox" checked={raw.value} onChange={(event) => (raw.value = event.currentTarget.checked)} />
					raw
				</label>
				<span class="soft number">{count === 0 ? "" : `${count.toLocaleString("en")} entries`}</span>
			</div>
			{count === 0 ? (
				<p class="empty">{log.whole.value ? "It has said nothing yet." : "loading…"}</p>
			) : (
				<LongList
					count={count}
					name="Session"
					estimate={26}
					follow={following}
					show={shown}
					{...(follows ? { onFollow: (stays: boolean) => (follow.value = stays ? null : false) } : {})}
				>
					{(index) => {
						const entry = log.entries[index];
						return (
							entry && (
								<div class={index === shown ? "found" : ""}>
									{raw.value ? (
										<pre class="entry raw said">{jsonText(entry.record, 0)}</pre>
									) : (
										<EntryView entry={entry} open={open.value.has(index)} toggle={() => toggle(index)} />
									)}
								</div>
							)
						);
					}}
				</LongList>
			)}
		</>
	);
}

/** null: nothing is searched for. */
function matches(entries: readonly Entry[], search: string): readonly number[] | null {
	if (search === "") return null;
	const found: number[] = [];
	for (const [index, { title, text, more }] of entries.entries())
		if (`${title}\n${text}\n${more ?? ""}`.toLowerCase().includes(search)) found.push(index);
	return found;
}

function EntryView({ entry, open, toggle }: { readonly entry: Entry; readonly open: boolean; readonly toggle: () => void }) {
	const { kind, title, text, more, bad } = entry;
	if (kind === "text") return <pre class="entry text said">{coloured(text)}</pre>;
	if (kind === "mark")
		return (
			<div class={`entry mark said ${bad ? "bad-text" : ""}`}>
				<span class="strong">{flat(title)}</span> <span class={bad ? "" : "soft"}>{plain(text)}</span>
			</div>
		);
	const head = (
		<>
			<span class="entry-title">{flat(title)}</span> <span class="entry-about">{flat(text) || firstLine(more)}</span>
		</>
	);
	return (
		<div class={`entry ${kind} ${bad ? "bad" : ""}`}>
			{more === null || more === "" ? (
				<div class="entry-line">{head}</div>
			) : (
				<button type="button" class="entry-line fold-button" aria-expanded={open} onClick={toggle}>
					{head}
				</button>
			)}
			{open && more !== null && <pre class="output said">{coloured(more)}</pre>}
		</div>
	);
}

const firstLine = (more: string | null): string => flat((more ?? "").slice(0, 200));
