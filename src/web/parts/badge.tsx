// A status in words, with the colour that goes with it.
import { statusWord, toneOf } from "../words/words.ts";

export function Badge({ status }: { readonly status: string }) {
	return <span class={`badge ${toneOf(status)}`}>{statusWord(status)}</span>;
}
