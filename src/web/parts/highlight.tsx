// Code with the colours of its language. The highlighter's tree becomes text nodes in spans; no markup is made from what it read.
import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import css from "highlight.js/lib/languages/css";
import go from "highlight.js/lib/languages/go";
import json from "highlight.js/lib/languages/json";
import markdown from "highlight.js/lib/languages/markdown";
import python from "highlight.js/lib/languages/python";
import rust from "highlight.js/lib/languages/rust";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";
import type { ComponentChildren } from "preact";

for (const [name, language] of Object.entries({ bash, css, go, json, markdown, python, rust, typescript, xml, yaml }))
	hljs.registerLanguage(name, language);

const LANGUAGES: readonly (readonly [RegExp, string])[] = [
	[/\.([cm]?[jt]sx?)$/, "typescript"],
	[/\.json[c5]?$/, "json"],
	[/\.(css|scss)$/, "css"],
	[/\.(html?|xml|svg|vue)$/, "xml"],
	[/\.(sh|bash)$/, "bash"],
	[/\.ya?ml$/, "yaml"],
	[/\.md$/, "markdown"],
	[/\.pyi?$/, "python"],
	[/\.rs$/, "rust"],
	[/\.go$/, "go"],
];

export const languageOf = (file: string): string | null => LANGUAGES.find(([pattern]) => pattern.test(file))?.[1] ?? null;

/** A longer line is data, not code. */
const LONGEST = 400;

interface Node {
	readonly scope?: string;
	readonly children: readonly (Node | string)[];
}

export function highlighted(code: string, language: string | null): ComponentChildren {
	if (language === null || code.length > LONGEST) return code;
	const { _emitter } = hljs.highlight(code, { language, ignoreIllegals: true }) as unknown as {
		readonly _emitter: { readonly rootNode: Node };
	};
	return _emitter.rootNode.children.map(drawn);
}

const drawn = (node: Node | string): ComponentChildren =>
	typeof node === "string" ? (
		node
	) : (
		<span class={`hl-${(node.scope ?? "").split(".")[0]?.replaceAll(/\W/g, "-")}`}>{node.children.map(drawn)}</span>
	);
