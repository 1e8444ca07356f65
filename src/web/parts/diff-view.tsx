// TEMP
import type { StoryDiff } from "../api/types.ts";
import { plain } from "../words/plain.ts";
export function DiffView({ diff }: { readonly diff: StoryDiff }) {
	return <pre class="output">{plain(diff.patch)}</pre>;
}
