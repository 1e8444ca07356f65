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
	readFileSync,
	renameSync,
	rmSync,
	statSync,
	symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A file of the user, and its name in the attempt's configuration. */
export interface Credential {
	readonly file: string;
	readonly as: string;
}

export interface Home {
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
export function openHome({ userHome, keep, credentials, configAt }: HomeOptions): Home {
	const base = makeBase();
	const config = keep ?? join(base, "config");
	const [home, tmp] = [join(base, "home"), join(base, "tmp")];
	for (const folder of [home, tmp, config]) mkdirSync(folder, { recursive: true, mode: 0o700 });
	if (userHome !== null) mirror(userHome, home, "");
	if (configAt !== undefined) {
		mkdirSync(dirname(join(home, configAt)), { recursive: true });
		symlinkSync(config, join(home, configAt));
	}
	const lent = credentials.filter(({ file }) => existsSync(file));
	for (const { file, as } of lent) {
		mkdirSync(dirname(join(config, as)), { recursive: true });
		rmSync(join(config, as), { force: true });
		symlinkSync(file, join(config, as));
	}
	return {
		home,
		tmp,
		config,
		close: () => {
			for (const { file, as } of lent) takeBack(join(config, as), file);
			for (const { as } of credentials) rmSync(join(config, as), { force: true });
			remove(base);
		},
	};
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

const startOf = (pid: number | string): string | null => {
	try {
		const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
		return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? null;
	} catch {
		return null;
	}
};

/** The start time goes with the pid, which another process may have by now. */
const MINE = `pawl-agent-${process.getuid?.() ?? 0}-`;
const OWNER = `${process.pid}-${startOf(process.pid) ?? 0}`;
let swept = false;

/** Makes a new folder, after removing what killed processes left behind. */
function makeBase(): string {
	if (!swept) sweep();
	swept = true;
	return mkdtempSync(join(tmpdir(), `${MINE}${OWNER}-`));
}

function sweep(): void {
	for (const name of namesIn(tmpdir())) {
		if (!name.startsWith(MINE)) continue;
		const [pid = "", start] = name.slice(MINE.length).split("-");
		const told = startOf(pid);
		// Without a start time it cannot be told whether its owner is still alive.
		if (told === start || start === "0") continue;
		try {
			rmSync(join(tmpdir(), name), { recursive: true, force: true });
		} catch {
			// The next sweep tries again.
		}
	}
}
