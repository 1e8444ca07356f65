// A fact with its name, as in the head of a run, a story or a step.
import type { ComponentChildren } from "preact";
import { tokensText } from "../words/words.ts";

export function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
	return (
		<div class="fact">
			<dt>{name}</dt>
			<dd>{children}</dd>
		</div>
	);
}

export function TokensFact({ of }: { readonly of: { readonly input_tokens: number | null; readonly output_tokens: number | null } }) {
	return (
		<Fact name="Tokens">
			{tokensText(of.input_tokens)} <span class="soft">in,</span> {tokensText(of.output_tokens)} <span class="soft">out</span>
		</Fact>
	);
}
