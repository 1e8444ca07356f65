// What a program printed: colours are shown, every other code of a terminal is dropped.
import Anser from "anser";
import { plain } from "../plain.ts";

// Codes for colours and weight stay for the parser; the rest goes.
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what is looked for
const COLOURS = /(\u001b\[[\d;]*m)/;

export function Output({ text }: { readonly text: string }) {
	return (
		// biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
		<pre class="output said" tabIndex={0}>
			{coloured(text)}
		</pre>
	);
}

export function coloured(text: string) {
	if (!text.includes("\u001b")) return plain(text);
	const kept = text
		.split(COLOURS)
		.map((part, index) => (index % 2 === 1 ? part : plain(part)))
		.join("");
	return Anser.ansiToJson(kept, { use_classes: true, remove_empty: true }).map((part, index) => {
		const { fg, decoration, content } = part;
		const names = [fg && /^ansi-[\w-]+$/.test(fg) ? fg : "", decoration === "bold" ? "bold" : ""].filter((name) => name !== "").join(" ");
		return names === "" ? (
			content
		) : (
			<span key={index} class={names}>
				{content}
			</span>
		);
	});
}
