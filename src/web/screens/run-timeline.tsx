// TEMP
import type { RunView } from "../api/types.ts";
export function TimelineTab({ run }: { readonly run: RunView }) {
	return <p>{run.run}</p>;
}
