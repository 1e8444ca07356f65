// Looks at the built pages: every link and picture of the site leads to a file that is there, every anchor to an element that is there.
import { existsSync, globSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";

/** What is wrong, one line for each; `base` is the path below which the site is served. */
export function brokenLinks(folder: string, base = "/"): string[] {
	const files = globSync("**/*.html", { cwd: folder }).sort();
	const texts = new Map(files.map((file) => [file, readFileSync(join(folder, file), "utf8")]));
	const ids = new Map(
		[...texts].map(([file, text]) => [file, new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id = ""]) => plain(id)))]),
	);
	return files.flatMap((file) =>
		targetsIn(texts.get(file) ?? "").flatMap((target) => {
			const problem = problemOf(folder, ids, file, target, base);
			return problem === null ? [] : [`${file}: ${target}: ${problem}`];
		}),
	);
}

function targetsIn(html: string): string[] {
	const found = [...html.matchAll(/<(?:a|img|link|script|source)\b[^>]*? (?:href|src|srcset)="([^"]+)"/g)].map(([, target = ""]) =>
		plain(target),
	);
	return [...new Set(found)].filter((target) => !/^([a-z]+:|\/\/)/.test(target));
}

function problemOf(
	folder: string,
	ids: ReadonlyMap<string, ReadonlySet<string>>,
	from: string,
	target: string,
	base: string,
): string | null {
	const [path = "", anchor] = target.split("#").map(decodeURIComponent);
	if (path.startsWith("/") && !path.startsWith(base)) return `it is outside of ${base}`;
	const whole =
		path === "" ? from : path.startsWith("/") ? path.slice(base.length) : posix.join(posix.dirname(from), path).replace(/^\.\//, "");
	const file = whole === "" || whole.endsWith("/") ? `${whole}index.html` : whole;
	if (!existsSync(join(folder, file))) return "there is no such file";
	return anchor === undefined || anchor === "" || ids.get(file)?.has(anchor) ? null : "there is no such heading";
}

const plain = (attribute: string): string =>
	attribute.replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
