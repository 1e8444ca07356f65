// The HOME, TMPDIR and configuration of one attempt, removed when it ends. Links give tools what they need from the user's home; what
// agents keep there (settings, memory, sessions, hooks) stays hidden. Credentials are links, so that a renewed token reaches the user's
// file.
import {
	chmodSync,
	copyFileSync,
	existsSync,
	lstatSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	realpathSync,
	renameSync,
	rmSync,
	statSync,
	symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { clearWay, strayFolder } from "../../files/way.ts";
import { startTimeOf } from "../../process.ts";

/** A file of the user, and its name in the attempt's configuration. */
export interface Credential {
	readonly file: string;
	readonly as: string;
}

export interface Home {
	/** All of it is in this folder, unless the configuration is kept elsewhere. */
	readonly base: string;
	readonly home: string;
	readonly tmp: string;
	readonly config: string;
	close(): void;
}

export interface HomeOptions {
	/** null to link nothing from it. */
	readonly userHome: string | null;
	/** A configuration folder that outlives the attempt, for continued sessions. */
	readonly keep: string | null;
	readonly credentials: readonly Credential[];
	/** In a sandbox only these exist: nothing else is linked, because a link that leads nowhere is in the way of what a tool makes. */
	readonly visible?: readonly string[] | null;
	/** Where in HOME the configuration must be, for agents that look for it only there. */
	readonly configAt?: string;
}

// The folders of all agents, not only of the one that runs: opencode also reads Claude's.
const HIDDEN = [
	".claude",
	".claude.json",
	".codex",
	".gemini",
	".opencode",
	".agents",
	".config/opencode",
	".local/share/opencode",
	".local/state/opencode",
];

/** Throws when the disk refuses; the caller turns that into an outcome. */
export function openHome({ userHome, keep, credentials, visible = null, configAt }: HomeOptions): Home {
	const base = makeBase();
	const config = keep ?? join(base, "config");
	const [home, tmp] = [join(base, "home"), join(base, "tmp")];
	for (const folder of [home, tmp, config]) mkdirSync(folder, { recursive: true, mode: 0o700 });
	if (userHome !== null && visible === null) mirror(userHome, home, "");
	if (userHome !== null && visible !== null) linkVisible(userHome, home, visible);
	if (configAt !== undefined) {
		mkdirSync(dirname(join(home, configAt)), { recursive: true });
		symlinkSync(config, join(home, configAt));
	}
	const lent = credentials.filter(({ file }) => existsSync(file));
	for (const { file, as } of lent) {
		clearWay(config, join(config, as));
		rmSync(join(config, as), { force: true });
		symlinkSync(file, join(config, as));
	}
	const made = identityOf(config);
	// The agent may have put a link to somewhere else in the place of a folder: what is there is not its login.
	const isOurs = (as: string): boolean => identityOf(config) === made && strayFolder(config, join(config, as)) === null;
	return {
		base,
		home,
		tmp,
		config,
		close: () => {
			for (const { file, as } of lent) if (isOurs(as)) takeBack(join(config, as), file);
			for (const { as } of credentials) if (isOurs(as)) rmSync(join(config, as), { force: true });
			remove(base);
		},
	};
}

function identityOf(folder: string): string {
	const stat = statSync(folder, { throwIfNoEntry: false });
	return stat === undefined ? "" : `${stat.dev} ${stat.ino}`;
}

/** Never throws. Some tools (module caches) make their own folders read-only. */
function remove(base: string): void {
	try {
		rmSync(base, { recursive: true, force: true, maxRetries: 3 });
	} catch {
		try {
			for (const entry of readdirSync(base, { recursive: true, withFileTypes: true }))
				if (entry.isDirectory()) chmodSync(join(entry.parentPath, entry.name), 0o700);
			rmSync(base, { recursive: true, force: true, maxRetries: 3 });
		} catch {
			// A later sweep removes what is left.
		}
	}
}

function mirror(from: string, to: string, path: string): void {
	for (const name of namesIn(join(from, path))) {
		const each = path === "" ? name : `${path}/${name}`;
		if (HIDDEN.includes(each)) continue;
		if (HIDDEN.some((hidden) => hidden.startsWith(`${each}/`)) && statSync(join(from, each), { throwIfNoEntry: false })?.isDirectory()) {
			mkdirSync(join(to, each));
			mirror(from, to, each);
		} else symlinkSync(join(from, each), join(to, each));
	}
}

function linkVisible(from: string, to: string, visible: readonly string[]): void {
	for (const path of visible) {
		const name = path.startsWith(`${from}/`) ? path.slice(from.length + 1) : "";
		const isHidden = HIDDEN.some((hidden) => name === hidden || name.startsWith(`${hidden}/`) || hidden.startsWith(`${name}/`));
		// A folder in one that is linked already is there.
		if (name === "" || isHidden || !existsSync(path) || existsSync(join(to, name))) continue;
		mkdirSync(dirname(join(to, name)), { recursive: true });
		symlinkSync(path, join(to, name));
	}
}

function namesIn(folder: string): string[] {
	try {
		return readdirSync(folder);
	} catch {
		return [];
	}
}

/** A program that renews a token by renaming replaces the link with a file. The newer file wins: another attempt may have been first. */
function takeBack(mine: string, users: string): void {
	try {
		const stat = lstatSync(mine);
		if (!stat.isFile() || stat.size === 0 || stat.mtimeMs <= statSync(users).mtimeMs) return;
		const part = `${users}.${process.pid}.part`;
		copyFileSync(mine, part);
		renameSync(part, users);
	} catch {
		// The user logged out meanwhile, or the folder is read-only: the user's file stays as it is.
	}
}

/** The start time goes with the pid, which another process may have by now. */
const MINE = `pawl-agent-${process.getuid?.() ?? 0}-`;
let owner: string | null = null;
let swept = false;

/** Makes a new folder, after removing what killed processes left behind. */
function makeBase(): string {
	if (!swept) sweep();
	swept = true;
	owner ??= `${process.pid}-${startTimeOf(process.pid) ?? 0}`;
	// Behind a link, as on macOS, a sandbox would have it at another path than HOME says.
	return realpathSync(mkdtempSync(join(tmpdir(), `${MINE}${owner}-`)));
}

function sweep(): void {
	for (const name of namesIn(tmpdir())) {
		if (!name.startsWith(MINE)) continue;
		const [pid = "", start] = name.slice(MINE.length).split("-");
		const told = startTimeOf(Number(pid));
		// Without a start time it cannot be told whether its owner is still alive.
		if (told === undefined || told === start || start === "0") continue;
		try {
			rmSync(join(tmpdir(), name), { recursive: true, force: true });
		} catch {
			// The next sweep tries again.
		}
	}
}
