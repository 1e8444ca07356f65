// git's settings at one moment: the configuration of system and user with everything that it includes, the attributes and ignore files
// that it names, and of the repository's own configuration what makes git run or load something. A run uses the settings of its start
// (pinned.ts), so that what an agent writes into them later runs nothing.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { textIn } from "../../files/read.ts";
import { WorkspaceError } from "../../workspace.ts";
import { gitEnvironment } from "./environment.ts";

/** null: the key has no value, which means true. */
export type Setting = readonly [key: string, value: string | null];

export interface Settings {
	/** Of system and user, in the order in which git reads them. */
	readonly shared: readonly Setting[];
	/** Of the repository: see `isPower` and `isShape`. */
	readonly local: readonly Setting[];
	/** A hash of the repository's configuration file; null if it includes others, because then the hash does not cover everything. */
	readonly localFile: string | null;
	/** What the attributes files of system and user say. */
	readonly attributes: string;
	readonly ignore: string;
}

const MAX_BYTES = 4 * 1024 * 1024;

/** Settings that make git start a program. pawl overrides an agent's value for one of these on the command line. */
const POWER = [
	/^filter\..+\.(clean|smudge|process|required)$/,
	/^diff\.(.+\.)?(command|textconv)$/,
	/^merge\.(.+\.driver|default)$/,
	/^core\.(sshcommand|gitproxy|askpass|alternaterefscommand|editor)$/,
	/^credential\.(.+\.)?helper$/,
	/^gpg\.(.+\.)?program$/,
	/^remote\..+\.(uploadpack|receivepack|vcs)$/,
	/^protocol\.(.+\.)?allow$/,
	/^url\..+\.(insteadof|pushinsteadof)$/,
];

const isPower = (key: string): boolean => POWER.some((pattern) => pattern.test(key));
const isInclude = (key: string): boolean => /^include(if\..+)?\.path$/.test(key);
const isShape = (key: string): boolean => isInclude(key) || key === "core.worktree";

interface Read extends Pick<Settings, "shared" | "local"> {
	/** All settings, no matter who set them. */
	readonly all: readonly Setting[];
	/** The files that the repository's own configuration is in. */
	readonly localFiles: readonly string[];
	readonly systemFolder: string;
}

/** One process, which runs nothing that the settings name. `env`: additional environment of pawl's calls. */
export async function readConfig(cwd: string, env: Readonly<Record<string, string>> = {}): Promise<Read> {
	const args = ["config", "--list", "--includes", "-z", "--show-scope", "--show-origin"];
	const { stdout } = await promisify(execFile)("git", args, { cwd, env: { ...gitEnvironment(), ...env }, maxBuffer: MAX_BYTES }).catch(
		(error: Error & { readonly stderr?: string }) => {
			throw new WorkspaceError(`git's configuration cannot be read in ${cwd}: ${(error.stderr || error.message).trim()}`);
		},
	);
	const [shared, local, all]: [Setting[], Setting[], Setting[]] = [[], [], []];
	const localFiles = new Set<string>();
	let systemFolder = "/etc";
	const fields = stdout.split("\0");
	for (let i = 0; i + 2 < fields.length; i += 3) {
		const [scope = "", origin = "", entry = ""] = fields.slice(i, i + 3);
		const end = entry.indexOf("\n");
		const setting: Setting = end < 0 ? [entry, null] : [entry.slice(0, end), entry.slice(end + 1)];
		if (scope === "system" && shared.length === 0 && origin.startsWith("file:/")) systemFolder = dirname(origin.slice(5));
		all.push(setting);
		if (scope !== "local" && scope !== "worktree") {
			shared.push(setting);
			continue;
		}
		const file = resolve(cwd, origin.slice("file:".length));
		localFiles.add(file);
		// Even if it does not exist yet.
		if (isInclude(setting[0])) localFiles.add(pathOf(setting[1], "", dirname(file)) ?? file);
		if (isPower(setting[0]) || isShape(setting[0])) local.push(setting);
	}
	return { shared, local, all, localFiles: [...localFiles], systemFolder };
}

export async function readSettings(cwd: string, commonDir: string): Promise<Settings> {
	// The file first: a change between the two reads then shows up as a change later.
	const file = hashOfFile(join(commonDir, "config"));
	const { shared, local, all, systemFolder } = await readConfig(cwd);
	const text = (path: string | null): string => (path === null ? "" : textOf(path));
	const named = (key: string, usual: string): string => text(pathOf(all.findLast((one) => one[0] === key)?.[1], usual, cwd));
	// The order matters: their name is a hash of them.
	return {
		shared: shared.filter(([key]) => !isInclude(key)),
		local,
		localFile: local.some(([key]) => isInclude(key)) ? null : file,
		attributes: [text(join(systemFolder, "gitattributes")), named("core.attributesfile", "attributes")]
			.filter((one) => one !== "")
			.join("\n"),
		ignore: named("core.excludesfile", "ignore"),
	};
}

/** Where git looks for a file that its configuration names, or for the usual one of the user. */
function pathOf(value: string | null | undefined, usual: string, cwd: string): string | null {
	if (value === undefined || value === null) return join(process.env["XDG_CONFIG_HOME"] || join(homedir(), ".config"), "git", usual);
	if (value === "") return null;
	return value.startsWith("~/") ? join(homedir(), value.slice(2)) : resolve(cwd, value);
}

export const hashOfFile = (file: string): string => hash(textOf(file));

/** Settings are often links to a folder that people keep in git. */
function textOf(file: string): string {
	try {
		return textIn(realpathSync(file), { max: MAX_BYTES }) ?? "";
	} catch {
		return "";
	}
}

const hash = (text: string): string => createHash("sha256").update(text).digest("hex");

/** The name under which they are kept. */
export const nameOfSettings = (settings: Settings): string => hash(JSON.stringify(settings)).slice(0, 40);

/** How they differ, for a person: names only, since values may be secrets. */
export function differences(before: Settings, now: Settings): string[] {
	const keys = [
		...changedKeys(before.shared, now.shared),
		...changedKeys(before.local, now.local).map((one) => `${one} (of the repository)`),
	];
	return [
		...keys,
		...(before.attributes === now.attributes ? [] : ["the attributes file has changed"]),
		...(before.ignore === now.ignore ? [] : ["the ignore file has changed"]),
	];
}

function changedKeys(before: readonly Setting[], now: readonly Setting[]): string[] {
	const [was, is] = [valuesOf(before), valuesOf(now)];
	return [...new Set([...was.keys(), ...is.keys()])].sort().flatMap((key) => {
		if (was.get(key) === is.get(key)) return [];
		return [`${key} ${was.has(key) ? (is.has(key) ? "has changed" : "is gone") : "is new"}`];
	});
}

/** Keys that lead git to other files than before. The command line cannot override them. */
export const ledElsewhere = (before: readonly Setting[], now: readonly Setting[]): string[] => {
	const [was, is] = [valuesOf(before), valuesOf(now)];
	return [...is.keys()].filter((key) => isShape(key) && was.get(key) !== is.get(key));
};

/** All values of a key as one text, for comparison. */
export function valuesOf(settings: readonly Setting[]): Map<string, string> {
	const values = new Map<string, string>();
	for (const [key, value] of settings) values.set(key, `${values.get(key) ?? ""}${JSON.stringify(value)}\n`);
	return values;
}

/** As a configuration file. */
export function render(settings: readonly Setting[]): string {
	return settings
		.map(([key, value]) => `${section(key)}\n\t${key.slice(key.lastIndexOf(".") + 1)}${value === null ? "" : ` = ${quoted(value)}`}\n`)
		.join("");
}

function section(key: string): string {
	const [first, last] = [key.indexOf("."), key.lastIndexOf(".")];
	const name = key.slice(0, first);
	return first === last ? `[${name}]` : `[${name} "${key.slice(first + 1, last).replaceAll(/["\\]/g, "\\$&")}"]`;
}

const quoted = (value: string): string =>
	`"${value.replaceAll(/["\\]/g, "\\$&").replaceAll("\n", "\\n").replaceAll("\t", "\\t").replaceAll("\b", "\\b")}"`;
