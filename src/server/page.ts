// The page and its assets: read once when the server starts and served from memory, so that no path can reach another file. They hold no data.
import { readdirSync, readFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { extname, join } from "node:path";
import { packagePath } from "../package-root.ts";
import { COMMON } from "./answer.ts";

const BUILT = packagePath("dist", "web");

const TYPES: Readonly<Record<string, string>> = {
	".html": "text/html; charset=utf-8",
	".js": "text/javascript; charset=utf-8",
	".css": "text/css; charset=utf-8",
	".svg": "image/svg+xml",
	".png": "image/png",
	".ico": "image/x-icon",
	".woff2": "font/woff2",
	".webmanifest": "application/manifest+json",
};

const POLICY =
	"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

interface Asset {
	readonly bytes: Buffer;
	readonly type: string;
}

export class Page {
	/** Path → content. */
	private readonly assets = new Map<string, Asset>();
	/** false: a checkout in which nobody has built the page. */
	readonly built: boolean;

	constructor(folder: string = BUILT) {
		const load = (path: string): void => {
			const type = TYPES[extname(path)];
			if (type !== undefined) this.assets.set(`/${path}`, { bytes: readFileSync(join(folder, path)), type });
		};
		for (const path of filesBelow(folder)) load(path);
		this.built = this.assets.has("/index.html");
		if (!this.built) this.assets.set("/index.html", { bytes: Buffer.from(NOT_BUILT), type: "text/html; charset=utf-8" });
	}

	/** The screens of the page have addresses of their own; the page itself finds out which one it is. */
	find(path: string): Asset | undefined {
		if (
			path === "/" ||
			path === "/inbox" ||
			path === "/machines" ||
			path === "/new" ||
			/^\/runs(\/(?!\.{1,2}(\/|$))[\w.~%@:-]+)*\/?$/.test(path)
		)
			return this.assets.get("/index.html");
		return this.assets.get(path);
	}
}

export function sendAsset(res: ServerResponse, { bytes, type }: Asset, path: string): void {
	// The names of built assets carry a hash of their content.
	const lasting = path.startsWith("/assets/");
	res.writeHead(200, {
		...COMMON,
		"Content-Type": type,
		"Content-Length": String(bytes.length),
		"Cache-Control": lasting ? "public, max-age=31536000, immutable" : "no-cache",
		"Content-Security-Policy": POLICY,
		"X-Frame-Options": "DENY",
		"Cross-Origin-Opener-Policy": "same-origin",
	});
	res.end(bytes);
}

function filesBelow(folder: string): string[] {
	try {
		return readdirSync(folder, { recursive: true, withFileTypes: true })
			.filter((entry) => entry.isFile())
			.map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
	} catch {
		return [];
	}
}

const NOT_BUILT = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>pawl</title></head>
<body>
<main>
<h1>The page is not built</h1>
<p>This pawl runs from a checkout. Build the page once with <code>npm run build</code>, then start <code>pawl ui</code> again. The API works without it.</p>
</main>
</body>
</html>
`;
