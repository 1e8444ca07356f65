// The address of a database, and whether the way there is safe. What `sslmode` means is said here, once: `pg` and libpq differ in it.
import { accessSync, constants } from "node:fs";

type Mode = "verify-full" | "no-verify" | "disable";

export interface Address {
	/** As `pg` understands it. */
	readonly url: string;
	readonly local: boolean;
	readonly mode: Mode;
	/** What a person should know about the way there. */
	readonly warning: string | null;
}

/** Everything that asks for encryption is checked, whatever libpq would do. */
const CHECKED = new Set(["prefer", "require", "verify-ca", "verify-full", "true", "1"]);
const LOCAL = /^(localhost|.*\.localhost|127(\.\d+){3}|\[?::1\]?|)$/;

/** `env`: PGSSLMODE counts where the address says nothing. */
export function addressIn(text: string, env: NodeJS.ProcessEnv = process.env): Address | { readonly problem: string } {
	const url = parsed(text);
	if (url === null || !/^postgres(ql)?:$/.test(url.protocol))
		return { problem: "the address of a database looks like postgres://USER:PASSWORD@HOST/DATABASE?sslmode=verify-full" };
	const host = url.searchParams.get("host") ?? decodeURIComponent(url.hostname);
	const local = LOCAL.test(host) || host.startsWith("/");
	const said = url.searchParams.get("sslmode") ?? url.searchParams.get("ssl") ?? env["PGSSLMODE"] ?? null;
	const mode = said === null ? null : said === "disable" || said === "no-verify" ? said : CHECKED.has(said) ? "verify-full" : undefined;
	if (mode === undefined) return { problem: `sslmode=${said} is not known: use verify-full, no-verify or disable` };
	if (mode === null && !local)
		return {
			problem: `the way to ${host} is not encrypted: add ?sslmode=verify-full to the address (with &sslrootcert=FILE for an authority of your own), or ?sslmode=disable if nobody else can be on that network`,
		};
	for (const key of ["sslrootcert", "sslcert", "sslkey"]) {
		const file = url.searchParams.get(key);
		if (file !== null && !isReadable(file)) return { problem: `${key} of the address names a file that cannot be read: ${file}` };
	}
	for (const key of ["ssl", "uselibpqcompat"]) url.searchParams.delete(key);
	url.searchParams.set("sslmode", mode ?? "disable");
	return { url: url.href, local, mode: mode ?? "disable", warning: local ? null : (UNSAFE[mode ?? "disable"]?.(host) ?? null) };
}

const UNSAFE: Readonly<Record<Mode, ((host: string) => string) | null>> = {
	"verify-full": null,
	"no-verify": (host) => `nobody checks that ${host} is the database it says it is (sslmode=no-verify): use sslmode=verify-full`,
	disable: (host) =>
		`the way to ${host} is not encrypted (sslmode=disable): passwords, prompts and code can be read on it; use sslmode=verify-full`,
};

function isReadable(file: string): boolean {
	try {
		accessSync(file, constants.R_OK);
		return true;
	} catch {
		return false;
	}
}

/** An empty host is a socket of this machine; URL wants one. */
function parsed(text: string): URL | null {
	for (const tried of [text, text.replace("@/", "@localhost/").replace("///", "//localhost/")])
		if (URL.canParse(tried)) return new URL(tried);
	return null;
}
