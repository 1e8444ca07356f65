// glab as far as pawl calls it, for machines without it: `auth status` and `api`. Its words and exit codes are those that glab
// 1.33 (Debian 12 backports) was seen to print against the stub: it exits with 0 after an error of the API and without a login. Test files put it first in PATH; it
// talks to the same stub of GitLab's API as the real one, and reads the same configuration.
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { put, scratchFolder } from "./scratch.ts";

const PROGRAM = String.raw`
const { readFileSync } = require("node:fs");
const { execFileSync } = require("node:child_process");
const { join } = require("node:path");
const fail = (text) => { console.error(text); process.exit(1); };
const config = readFileSync(join(process.env.GLAB_CONFIG_DIR, "config.yml"), "utf8");
const valueOf = (key) => new RegExp("^ +" + key + ": (.*)$", "m").exec(config)?.[1];
const known = /^ {2}(\S+):$/m.exec(config)?.[1];
const [command, what, ...args] = process.argv.slice(2);
const after = (name) => args.flatMap((word, i) => (word === name ? [args[i + 1]] : []));
const remote = () => execFileSync("git", ["config", "remote.origin.url"], { encoding: "utf8" }).trim();
const host = after("--hostname")[0] ?? new URL(remote()).hostname;
if (command === "auth") {
	console.error(host === known
		? host + "\n  ✓ Logged in to " + host + " as ann (" + join(process.env.GLAB_CONFIG_DIR, "config.yml") + ")"
		: "x " + host + " not authenticated with glab. Run \x60glab auth login --hostname " + host + "\x60 to authenticate");
	process.exit(0);
}
if (command !== "api") fail('unknown command "' + command + '" for "glab"');
if (host !== known) fail("unable to expand placeholder in path: none of the git remotes configured for this repository point to a known GitLab host. Please use \x60glab auth login\x60 to authenticate and configure a new host for glab.\n\nConfigured remotes: " + host);
const path = what.replace(":fullpath", () => encodeURIComponent(new URL(remote()).pathname.slice(1).replace(/\.git$/, "")));
const fields = after("--raw-field").map((field) => [field.slice(0, field.indexOf("=")), field.slice(field.indexOf("=") + 1)]);
fetch("http://" + valueOf("api_host") + "/api/v4/" + path, {
	method: after("--method")[0] ?? (fields.length > 0 ? "POST" : "GET"),
	headers: { "private-token": valueOf("token"), "content-type": "application/json" },
	...(fields.length > 0 ? { body: JSON.stringify(Object.fromEntries(fields)) } : {}),
}).then(async (response) => {
	const text = await response.text();
	process.stdout.write(text);
	if (!response.ok) console.error("glab: " + (JSON.parse(text).message ?? "") + " (HTTP " + response.status + ")");
}, () => fail('Get "http://' + valueOf("api_host") + "/api/v4/" + path + '": dial tcp ' + valueOf("api_host") + ": connect: connection refused"));
`;

/** A folder for PATH that has it as `glab`. */
export function glabStandIn(): string {
	const folder = scratchFolder("glab");
	put(folder, { glab: `#!${process.execPath}\n${PROGRAM}` });
	chmodSync(join(folder, "glab"), 0o755);
	return folder;
}
