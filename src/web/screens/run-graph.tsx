// TEMP
import type { RunView } from "../api/types.ts";
export function GraphTab({ run }: { readonly run: RunView }) {
	return <p>{run.run}</p>;
}
