// Which settings pawl's own git calls use: those recorded when the run began, even if the files have changed since. The user's are in a
// copy, which pawl checks before each call. If the repository's configuration now makes git run something else, pawl overrides that.
// A call costs a few looks at the disk and no process, unless something has changed.
import { lstatSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { textIn } from "../../files/read.ts";
import { clearWay } from "../../files/way.ts";
import { writeWholeSync } from "../../files/write.ts";
import { WorkspaceError } from "../../workspace.ts";
import { addPin, type Extra, NOTHING, type Pinned } from "./pins.ts";
import { hashOfFile, ledElsewhere, nameOfSettings, readConfig, render, type Setting, type Settings, valuesOf } from "./settings.ts";

export interface PinnedRepository {
	/** Calls in this folder and below are those of the repository. */
	readonly root: string;
	readonly commonDir: string;
	/** Puts back what a session that runs now has changed in the repository's configuration. */
	putBack(): void;
}

const MAX_BYTES = 8 * 1024 * 1024;

export const pin = (repository: PinnedRepository, settings: Settings): (() => void) => addPin(new Pin(repository, settings));

/** The settings of a name; null if they are gone or were changed. */
export function savedSettings(commonDir: string, name: string): Settings | null {
	const text = textIn(join(folderOf(commonDir, name), "settings.json"), { max: MAX_BYTES, below: commonDir });
	if (text === null) return null;
	try {
		const settings = JSON.parse(text) as Settings;
		return nameOfSettings(settings) === name ? settings : null;
	} catch {
		return null;
	}
}

export function saveSettings(commonDir: string, settings: Settings): string {
	const name = nameOfSettings(settings);
	if (savedSettings(commonDir, name) === null) write(commonDir, join(folderOf(commonDir, name), "settings.json"), JSON.stringify(settings));
	return name;
}

const folderOf = (commonDir: string, name: string): string => join(commonDir, "pawl", "settings", name);

// Not readable for others on the machine: it may contain passwords.
function write(commonDir: string, file: string, text: string): void {
	clearWay(commonDir, file);
	writeWholeSync(file, text, { mode: 0o600 });
}

interface Copy {
	readonly file: string;
	readonly text: string;
	/** What it looked like when it was last known to hold that text. */
	sign: string;
}

class Pin implements Pinned {
	readonly root: string;
	private readonly repository: PinnedRepository;
	private readonly settings: Settings;
	private readonly copies: readonly Copy[];
	private readonly shared: Extra;
	/** What overrides the repository's configuration, by its file for one worktree; and the state of the files at that time. */
	private readonly overruled = new Map<string, { readonly files: readonly string[]; readonly sign: string; readonly extra: Extra }>();

	constructor(repository: PinnedRepository, settings: Settings) {
		this.root = repository.root;
		this.repository = repository;
		this.settings = settings;
		const folder = folderOf(repository.commonDir, nameOfSettings(settings));
		const copy = (name: string, text: string): Copy => ({ file: join(folder, name), text, sign: "" });
		const [config, attributes, ignore] = [
			copy("config", render(settings.shared)),
			copy("attributes", settings.attributes),
			copy("ignore", settings.ignore),
		];
		this.copies = [config, attributes, ignore];
		this.shared = {
			args: ["-c", `core.attributesFile=${attributes.file}`, "-c", `core.excludesFile=${ignore.file}`],
			env: { GIT_CONFIG_GLOBAL: config.file, GIT_CONFIG_SYSTEM: "/dev/null", GIT_CONFIG_NOSYSTEM: "1", GIT_ATTR_NOSYSTEM: "1" },
		};
	}

	async extra(cwd: string): Promise<Extra> {
		// The repository itself is gone: git reports that better.
		if (signOf(this.repository.commonDir) === "") return NOTHING;
		for (const copy of this.copies) this.verify(copy);
		const own = worktreeConfig(cwd, this.repository.commonDir);
		if (own === null) return this.shared;
		const { args, env } = await this.overrule(cwd, own);
		return { args: [...this.shared.args, ...args], env: { ...this.shared.env, ...env } };
	}

	private verify(copy: Copy): void {
		const sign = signOf(copy.file);
		if (sign !== "" && sign === copy.sign) return;
		if (textIn(copy.file, { max: MAX_BYTES, below: this.repository.commonDir }) !== copy.text)
			write(this.repository.commonDir, copy.file, copy.text);
		copy.sign = signOf(copy.file);
	}

	private async overrule(cwd: string, own: string): Promise<Extra> {
		const known = this.overruled.get(own);
		if (known !== undefined && signsOf(known.files) === known.sign) return known.extra;
		this.repository.putBack();
		const config = join(this.repository.commonDir, "config");
		const usual = [config, own];
		const sign = signsOf(usual);
		const asNoted = this.settings.localFile !== null && signOf(own) === "" && hashOfFile(config) === this.settings.localFile;
		if (asNoted) return this.know(own, usual, sign, NOTHING);
		const { local, localFiles } = await readConfig(cwd, this.shared.env);
		const files = [...new Set([...usual, ...localFiles])];
		// Read again if it changed meanwhile.
		if (signsOf(usual) !== sign) return this.overrule(cwd, own);
		return this.know(own, files, signsOf(files), this.against(local));
	}

	private know(own: string, files: readonly string[], sign: string, extra: Extra): Extra {
		this.overruled.set(own, { files, sign, extra });
		return extra;
	}

	private against(now: readonly Setting[]): Extra {
		const [was, is] = [valuesOf(this.settings.local), valuesOf(now)];
		const changed = [...new Set([...was.keys(), ...is.keys()])].filter((key) => was.get(key) !== is.get(key));
		const [led] = ledElsewhere(this.settings.local, now);
		if (led !== undefined)
			throw new WorkspaceError(
				`${led} in ${join(this.repository.commonDir, "config")} is not as it was when the run began, and it leads git to other files: put it back, or go on with pawl resume --accept-config`,
			);
		const value = (key: string): string => this.settings.local.findLast((one) => one[0] === key)?.[1] ?? (was.has(key) ? "true" : "");
		return {
			// Through the environment: the name of a filter may contain anything, even an equals sign.
			args: changed.map((key, i) => `--config-env=${key}=PAWL_GIT_SETTING_${i}`),
			env: Object.fromEntries(changed.map((key, i) => [`PAWL_GIT_SETTING_${i}`, value(key)])),
		};
	}
}

/** The file of a checkout's own configuration, whether it exists or not; null for a checkout of another repository. */
function worktreeConfig(cwd: string, commonDir: string): string | null {
	const file = join(cwd, ".git");
	const found = lstatSync(file, { throwIfNoEntry: false });
	if (!found?.isFile()) return join(commonDir, "config.worktree");
	const target = /^gitdir: (.+)\n?$/.exec(readFileSync(file, "utf8"))?.[1];
	const gitDir = target === undefined ? commonDir : resolve(cwd, target);
	return gitDir === commonDir || gitDir.startsWith(`${commonDir}/`) ? join(gitDir, "config.worktree") : null;
}

const signsOf = (files: readonly string[]): string => files.map(signOf).join("|");

/** Nobody can set ctime. Empty: there is no file. */
function signOf(file: string): string {
	const stat = lstatSync(file, { bigint: true, throwIfNoEntry: false });
	return stat === undefined ? "" : `${stat.dev} ${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs} ${stat.mode}`;
}
