// Which untracked files are not part of the work: large, binary, or by their name or content a log, a dump, a cache, a temporary file or a secret.
import { constants } from "node:fs";
import { lstat, open } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import { raw } from "../git/file-names.ts";

const LARGE = 1_000_000;
/** As much as git itself reads to tell a binary file. */
const LOOKED_AT = 8000;
/** Keys and tokens are looked for in so much of a file. */
const READ_FOR_KEYS = 64 * 1024;

const LOOKS_LIKE: readonly (readonly [what: string, name: RegExp])[] = [
	["a log", /\.log(?:[.-]\d+)?$|^(?:npm|yarn|pnpm)-(?:debug|error)\b|^nohup\.out$/i],
	["a dump", /^core(?:\.\d+)?$|^vgcore\.|\.(?:core|dump|dmp|mdmp|hprof|heapsnapshot|cpuprofile|stackdump)$/i],
	["a cache", /\.py[co]$|\.tsbuildinfo$|^\.(?:eslintcache|stylelintcache|coverage|DS_Store)$|^Thumbs\.db$/],
	["a temporary file", /~$|\.(?:tmp|temp|swp|swo|pid|orig|rej|bak)$|\.tmp\.\w+$|^(?:tmp|scratch)(?:[._-].*)?$/i],
];
const CACHE_FOLDER =
	/^(?:node_modules|bower_components|__pycache__|\.(?:cache|parcel-cache|turbo|gradle|nyc_output|pytest_cache|mypy_cache|ruff_cache|tox|nox|venv|terraform|next|nuxt|svelte-kit))$/;
const TEMPORARY_FOLDER = /^\.?te?mp\//;

/** Environments with their values. Samples without values are meant for the repository. */
const ENVIRONMENT = /^\.env(?:rc|\..+)?$/i;
const SAMPLE = /\.(?:example|sample|template|tmpl|dist|defaults?|schema)$/i;
const KEY_FILE =
	/^id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?$|\.(?:pem|key|ppk|p12|pfx|jks|keystore|kdbx)$|^\.(?:netrc|pypirc|htpasswd|git-credentials)$|^(?:client_secret|service[-_]account)\b.*\.json$|^credentials(?:\.json)?$/i;
const KEY_TEXT =
	/-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY-----\s+[A-Za-z0-9+/=]{16}|\b(?:AKIA|ASIA)[0-9A-Z]{9}(?!EXAMPLE)[0-9A-Z]{7}\b|\bgh[pousr]_[A-Za-z0-9]{36}|\bgithub_pat_[A-Za-z0-9_]{50}|\bglpat-[\w-]{20}|\bsk-ant-[\w-]{24}|\b[sr]k_live_[A-Za-z0-9]{20}|\bxox[abprs]-\d+-[\w-]{10}/;

/** Why an untracked file is not part of the work; null if it may be. `known`: the tracked names beside it. */
export async function litter(root: string, path: string, known: () => Promise<readonly string[]>): Promise<string | null> {
	const file = raw(join(root, path));
	const info = await lstat(file).catch(() => null);
	if (!info?.isFile()) return null;
	if (info.size > LARGE) return "large";
	const name = basename(path);
	if (ENVIRONMENT.test(name) && !SAMPLE.test(name)) return "may hold secrets";
	// If git already tracks such files, for example as test data, another one is not litter.
	const isUsual = async () => extname(name) !== "" && (await known()).some((other) => extname(other) === extname(name));
	const like = KEY_FILE.test(name) ? "a key" : TEMPORARY_FOLDER.test(path) ? "a temporary file" : likeOf(name);
	if (like !== undefined && !(await isUsual())) return like;
	const start = await startOf(file);
	if (start.subarray(0, LOOKED_AT).includes(0)) return "binary";
	return KEY_TEXT.test(start.toString("latin1")) ? "holds a key" : null;
}

const likeOf = (name: string): string | undefined => LOOKS_LIKE.find(([, pattern]) => pattern.test(name))?.[0];

/** The part of a path that ends with a folder of caches or installed packages; null if it has none. */
export function cacheFolderOf(path: string): string | null {
	const parts = path.split("/");
	const at = parts.slice(0, -1).findIndex((part) => CACHE_FOLDER.test(part));
	return at < 0 ? null : parts.slice(0, at + 1).join("/");
}

/** Empty if it cannot be read. */
async function startOf(file: string | Buffer): Promise<Buffer> {
	const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(() => null);
	if (handle === null) return Buffer.alloc(0);
	try {
		const { bytesRead, buffer } = await handle.read(Buffer.alloc(READ_FOR_KEYS), 0, READ_FOR_KEYS, 0);
		return buffer.subarray(0, bytesRead);
	} finally {
		await handle.close();
	}
}
