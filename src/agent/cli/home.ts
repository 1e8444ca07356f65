// The place that one attempt of an agent lives in: its own HOME, TMPDIR and configuration, gone when it ends. What tools need
// of the user's home is linked in; what agents keep there (settings, memory, sessions, hooks) is not. Credentials are links,
// so that a token that is renewed reaches the user's file.
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

/** The user's file, and its name in the configuration of the attempt. */
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
	/** null: nothing of it is linked in. */
	readonly userHome: string | null;
	/** A folder that outlives the attempt, for sessions that are continued. */
	readonly keep: string | null;
	readonly credentials: readonly Credential[];
	/** A place in HOME that is the configuration, for agents that look for it there only. */
	readonly configAt?: string;
}

// All agents' places, not only those of the one that runs: opencode also reads Claude's.
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

/** Throws where the disk refuses; the caller turns that into an outcome. */
export function openHome({ userHome, keep, credentials, configAt }: HomeOptions): Home {
	const base = place();
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

/** Never throws. Some tools (module caches) take the right to write from their own folders. */
function remove(base: string): void {
	try {
		rmSync(base, { recursive: true, force: true, maxRetries: 3 });
	} catch {
		try {
			for (const entry of readdirSync(base, { recursive: true, withFileTypes: true }))
				if (entry.isDirectory()) chmodSync(join(entry.parentPath, entry.name), 0o700);
			rmSync(base, { recursive: true, force: true, maxRetries: 3 });
		} catch {
			// What is left then is swept later.
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

/** A program that renews a token by renaming puts a file where the link was. The newer one wins: another attempt may have been first. */
function takeBack(mine: string, users: string): void {
	try {
		const stat = lstatSync(mine);
		if (!stat.isFile() || stat.size === 0 || stat.mtimeMs <= statSync(users).mtimeMs) return;
		const part = `${users}.${process.pid}.part`;
		copyFileSync(mine, part);
		renameSync(part, users);
	} catch {
		// It was logged out meanwhile, or the folder is read-only: the user's file stays as it is.
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

/** A pid alone may be somebody else's by now. */
const MINE = `pawl-agent-${process.getuid?.() ?? 0}-`;
const OWNER = `${process.pid}-${startOf(process.pid) ?? 0}`;
let swept = false;

/** A new place. What a process that was killed left goes first. */
function place(): string {
	if (!swept) sweep();
	swept = true;
	return mkdtempSync(join(tmpdir(), `${MINE}${OWNER}-`));
}

function sweep(): void {
	for (const name of namesIn(tmpdir())) {
		if (!name.startsWith(MINE)) continue;
		const [pid = "", start] = name.slice(MINE.length).split("-");
		const told = startOf(pid);
		// Without a start time nobody can tell whether it is still somebody's.
		if (told === start || start === "0") continue;
		try {
			rmSync(join(tmpdir(), name), { recursive: true, force: true });
		} catch {
			// The next one may have better luck.
		}
	}
}
