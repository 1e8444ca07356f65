// The changes of a story, asked for when somebody wants to see them.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { at, get } from "../api/request.ts";
import type { StoryDiff } from "../api/types.ts";
import { plain } from "../plain.ts";
import { DiffView } from "./diff-view.tsx";

export function LazyDiff({ run, story, version = 0 }: { readonly run: string; readonly story: string; readonly version?: number }) {
	const diff = useSignal<StoryDiff | null>(null);
	const problem = useSignal<string | null>(null);
	useEffect(() => {
		const ended = new AbortController();
		get<StoryDiff>(`runs/${at(run, "stories", story, "diff")}`, ended.signal).then(
			(got) => {
				diff.value = got;
				problem.value = null;
			},
			(error: unknown) => {
				if (!ended.signal.aborted) problem.value = error instanceof Error ? error.message : String(error);
			},
		);
		return () => ended.abort();
	}, [run, story, version]);
	if (problem.value !== null) return <p class="soft said">{plain(problem.value)}</p>;
	if (diff.value === null) return <p class="soft">loading…</p>;
	return <DiffView diff={diff.value} />;
}
