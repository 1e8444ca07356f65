// What a sandbox on this machine shows besides what it is told to: the system's own folders, read-only and without what only their owner may
// read; the programs of PATH; folders of its own for temporary files and as a home.
import { lstatSync, readdirSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { basename, delimiter, dirname, isAbsolute, join, resolve, sep } from "node:path";
import { type Place, read } from "../core/sandbox/sandbox.ts";

export type Environment = Readonly<Record<string, string>>;

/** `/bin` and the like are links into `/usr` on most systems. */
const SYSTEM = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix", "/gnu"];
/** Often links to somewhere else. */
const LINKED = ["/etc/resolv.conf", "/etc/ssl/certs", "/etc/localtime", "/etc/hosts"];
/** Variables that name a file with certificates. */
const CERTIFICATES = ["SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "GIT_SSL_CAINFO", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE"];

export interface System {
	/** Links in the root folder: name → target. */
	readonly links: readonly (readonly [string, string])[];
	readonly folders: readonly string[];
	/** Files and folders of `/etc` that strangers cannot read, and so nobody in the sandbox. */
	readonly hiddenFiles: readonly string[];
	readonly hiddenFolders: readonly string[];
}

let known: System | null = null;
let lookedAt = 0;
/** A run may take days, and somebody may put a secret into `/etc` meanwhile. */
const LOOK_AGAIN_MS = 60_000;

export function system(): System {
	if (known === null || performance.now() - lookedAt > LOOK_AGAIN_MS) {
		known = look();
		lookedAt = performance.now();
	}
	return known;
}

function look(): System {
	const links: [string, string][] = [];
	const folders: string[] = [];
	for (const path of SYSTEM) {
		const stat = lstatSync(path, { throwIfNoEntry: false });
		if (stat?.isSymbolicLink()) links.push([path, readlinkSync(path)]);
		else if (stat?.isDirectory()) folders.push(path);
	}
	return { links, folders: [...folders, "/etc"], ...hiddenIn("/etc") };
}

const OTHERS_READ = 0o004;
const OTHERS_ENTER = 0o005;

function hiddenIn(top: string): Pick<System, "hiddenFiles" | "hiddenFolders"> {
	const [hiddenFiles, hiddenFolders, open]: [string[], string[], string[]] = [[], [], [top]];
	for (let folder = open.pop(); folder !== undefined; folder = open.pop())
		for (const entry of entriesOf(folder)) {
			const path = join(folder, entry.name);
			const mode = entry.isSymbolicLink() ? undefined : lstatSync(path, { throwIfNoEntry: false })?.mode;
			if (mode === undefined) continue;
			if (!entry.isDirectory()) {
				if ((mode & OTHERS_READ) === 0) hiddenFiles.push(path);
			} else if ((mode & OTHERS_ENTER) === OTHERS_ENTER) open.push(path);
			else hiddenFolders.push(path);
		}
	return { hiddenFiles, hiddenFolders };
}

function entriesOf(folder: string) {
	try {
		return readdirSync(folder, { withFileTypes: true });
	} catch {
		return [];
	}
}

export const isBelow = (path: string, folder: string): boolean =>
	path === folder || path.startsWith(folder === sep ? sep : `${folder}${sep}`);

/** null if it is not there. */
export function realPath(path: string): string | null {
	try {
		return realpathSync(path);
	} catch {
		return null;
	}
}

const isSystem = (path: string): boolean => system().folders.some((folder) => isBelow(path, folder));

/** Whose home it is, and the folders that may be written in the sandbox: those are there anyway, and a link in them may be an agent's. */
interface Around {
	readonly home: string;
	readonly open: readonly string[];
}

const isOpen = (path: string, { open }: Around): boolean => {
	const real = join(realPath(dirname(path)) ?? dirname(path), basename(path));
	return open.some((folder) => isBelow(real, folder));
};

/** Whether the way to a path leads through a link that lies in one of these folders. */
export function isLed(path: string, folders: readonly string[]): boolean {
	let at: string = sep;
	const parts = path.split(sep);
	for (let part = parts.shift(), links = 0; part !== undefined; part = parts.shift()) {
		if (part === "" || part === ".") continue;
		if (part === "..") at = dirname(at);
		else {
			const target = readLink(join(at, part));
			if (target === null) at = join(at, part);
			else if (++links > MOST_HOPS || folders.some((folder) => isBelow(at, folder))) return true;
			else {
				parts.unshift(...target.split(sep));
				if (isAbsolute(target)) at = sep;
			}
		}
	}
	return false;
}

/** What a command line needs to run: its program, files that it names, the programs that it finds in PATH, and the certificates and names of the
 * network. */
export function programPlaces(words: readonly string[], env: Environment, home: string, open: readonly string[] = []): Place[] {
	const around = { home, open };
	const [command = "", ...args] = words;
	const files = args.filter((word) => isAbsolute(word) && statSync(word, { throwIfNoEntry: false })?.isFile());
	const named = CERTIFICATES.flatMap((name) => (env[name] === undefined ? [] : [env[name]]));
	return [
		...LINKED.flatMap((path) => outside(path)),
		...[...named, ...files].flatMap((path) => (isOpen(path, around) ? [] : outside(path))),
		...programAt(command, around),
		...pathPlaces(env["PATH"] ?? "", around),
	];
}

const outside = (path: string): Place[] => {
	const real = realPath(path);
	return real === null || isSystem(real) ? [] : [read(path)];
};

const paths = new Map<string, readonly Place[]>();

/** Remembered: a PATH of ten folders has hundreds of programs. */
function pathPlaces(path: string, around: Around): readonly Place[] {
	const key = JSON.stringify([path, around]);
	const before = paths.get(key);
	if (before !== undefined) return before;
	const found = path.split(delimiter).flatMap((folder) => (isAbsolute(folder) ? folderOfPrograms(folder, around) : []));
	paths.set(key, found);
	return found;
}

function folderOfPrograms(folder: string, around: Around): Place[] {
	const { home, open } = around;
	const real = realPath(folder);
	if (real === null || isSystem(real) || isBelow(home, real) || isOpen(folder, around) || isLed(folder, open)) return [];
	const links = entriesOf(real).flatMap((entry) => (entry.isSymbolicLink() ? programAt(join(real, entry.name), around) : []));
	return [read(folder), ...prefixOf(real, home).map(read), ...links];
}

/** Folders in a home that hold programs of one kind and no credentials, each needed as a whole by the programs in them. */
const TOOLCHAINS = [
	...[".nvm", ".fnm", ".volta", ".pyenv", ".rbenv", ".nodenv", ".goenv", ".asdf", ".sdkman", ".jenv", ".ghcup", ".rustup"],
	...[".local/share/mise", ".local/share/fnm", ".local/share/uv", ".local/share/pipx", ".local/share/pnpm", ".local/pipx"],
];

/** What the programs of a folder need around them. A visible folder of a home (`~/go/bin`), or one of `/opt`, is an installation of its own; a hidden one may
 * hold credentials beside its programs (`~/.cargo`, `~/.fly`), so only known ones count. */
function prefixOf(folder: string, home: string): string[] {
	const toolchain = TOOLCHAINS.map((name) => join(home, name)).filter((known) => isBelow(folder, known));
	if (toolchain.length > 0) return toolchain;
	if (folder === join(home, ".cargo", "bin")) return [join(home, ".rustup")];
	const parent = dirname(folder);
	if (!folder.endsWith(`${sep}bin`) || isBelow(home, parent)) return [];
	if (isBelow(folder, home)) return folder.slice(home.length + 1).startsWith(".") ? [] : [parent];
	return isBelow(folder, "/opt") && parent !== "/opt" ? [parent] : [];
}

const MOST_LINKS = 10;
/** As many as the kernel follows. */
const MOST_HOPS = 40;

/** A program behind links, with the package that it is part of. */
function programAt(path: string, around: Around): Place[] {
	const { home, open } = around;
	const found: string[] = [];
	for (let at: string | null = path, hops = 0; at !== null && hops < MOST_LINKS; hops++) {
		if (isOpen(at, around) || isLed(at, open)) return found.map(read);
		found.push(...partsOf(at, home));
		at = linkOf(at);
	}
	const real = realPath(path);
	return [...found, ...(real === null ? [] : partsOf(real, home))].map(read);
}

function linkOf(path: string): string | null {
	const target = readLink(path);
	return target === null ? null : resolve(dirname(path), target);
}

function readLink(path: string): string | null {
	try {
		return readlinkSync(path);
	} catch {
		return null;
	}
}

function partsOf(path: string, home: string): string[] {
	const real = realPath(dirname(path));
	if (real === null || isSystem(real)) return [];
	// A program of npm needs the packages beside its own.
	const packages = path.indexOf(`${sep}node_modules${sep}`);
	if (packages > 0) return [path.slice(0, packages + `${sep}node_modules`.length)];
	return [path, ...prefixOf(real, home)];
}
