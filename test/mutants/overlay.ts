// Modules whose text, or whose place, is another one in this process. No file is changed.
import { registerHooks } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const root = join(import.meta.dirname, "..", "..");

export interface Overlay {
	/** Path from the root → the text that is loaded instead. */
	readonly texts: Readonly<Record<string, string>>;
	/** Specifier → path of the file that stands in for it. */
	readonly instead?: Readonly<Record<string, string>>;
}

export function lay({ texts, instead = {} }: Overlay): void {
	const byUrl = new Map(Object.entries(texts).map(([file, text]) => [pathToFileURL(join(root, file)).href, text]));
	registerHooks({
		resolve: (specifier, context, next) => {
			const path = instead[specifier];
			return path === undefined || context.parentURL === pathToFileURL(path).href
				? next(specifier, context)
				: { url: pathToFileURL(path).href, shortCircuit: true };
		},
		load: (url, context, next) => {
			const source = byUrl.get(url);
			return source === undefined ? next(url, context) : { format: "module-typescript", source, shortCircuit: true };
		},
	});
}
