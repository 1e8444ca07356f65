// The sandbox of a run: what a person wants, whether this machine can do it, and what each of the run's processes sees in it.
import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join, resolve, sep } from "node:path";
import type { Config } from "../config.ts";
import {
	type Confined,
	hasNetwork,
	type Place,
	read,
	SANDBOX_TYPES,
	type Sandbox,
	type SandboxSettings,
	write,
} from "../core/sandbox/sandbox.ts";
import type { ConfineSetup, Repository } from "../workspace.ts";
import type { RunsContext } from "./context.ts";
import { Refusal } from "./refusal.ts";

const PLAIN = { network: "on", read: [], write: [], image: null, runtime: null } as const;

/** `asked`: the flag. It chooses the sandbox; what pawl.yml says about one holds for it too. */
export function wantedSandbox({ sandbox }: Pick<Config, "sandbox">, asked: string | undefined): SandboxSettings | null {
	if (asked === undefined) return sandbox;
	if (asked === "none") return null;
	const type = SANDBOX_TYPES.find((one) => one === asked);
	if (type === undefined) throw new Refusal("invalid", `--sandbox: there is no ${asked}; there are none, ${SANDBOX_TYPES.join(", ")}`);
	return { ...PLAIN, ...sandbox, type };
}

/** Nothing of a run starts without the sandbox that it should have. */
export async function refuseNoSandbox(c: RunsContext, settings: SandboxSettings | null): Promise<void> {
	const problem = settings === null ? null : await c.services.sandboxProblem(settings);
	if (problem !== null)
		throw new Refusal("invalid", `the sandbox ${settings?.type} cannot be used: ${problem}. To start without one: --sandbox none`);
}

export type Confine = (cwd: string, who: Confined) => Promise<Sandbox>;

/** What a run has on this machine. */
export interface SandboxSite {
	readonly repository: Repository;
	readonly config: Pick<Config, "link">;
	/** The folder of the run's files; null before it has one. */
	readonly sharedDir: string | null;
	/** The file of the journal, which `pawl mcp` reads. */
	readonly database?: string;
}

export function confiner(c: RunsContext, settings: SandboxSettings, site: SandboxSite): Confine {
	const { repository, config, sharedDir, database } = site;
	const { root } = repository;
	const home = c.env["HOME"] ?? homedir();
	const shared = sharedDir === null ? [] : [write(sharedDir)];
	const places = [
		...config.link.flatMap((name) => linked(root, name)),
		...gitSettings(home, c.env).map(read),
		...settings.read.map((path) => read(placed(path, root, home))),
		...settings.write.map((path) => write(placed(path, root, home))),
	];
	const journal = database === undefined ? [] : [database, `${database}-wal`, `${database}-shm`].map(read);
	const { type, image, runtime } = settings;
	return async (cwd, who) => {
		const git = await repository.gitPlaces(cwd);
		const own = who === "notify" ? onlyLooking(cwd, git, sharedDir) : [write(cwd), ...pawlFolder(cwd), ...git, ...shared];
		return { ...{ type, image, runtime, journal }, network: hasNetwork(settings, who), places: [...own, ...places] };
	};
}

/** For a command that does no work of the run: the repository without other runs and the journal, and nothing to write to. */
const onlyLooking = (cwd: string, git: readonly Place[], sharedDir: string | null): Place[] => [
	...[read(cwd), ...git.map(({ path }) => read(path))],
	{ path: join(cwd, ".pawl"), as: "empty" },
	...(sharedDir === null ? [] : [read(sharedDir)]),
];

/** Who makes the commits, and what git ignores. The folder has no credentials in it, unless somebody chose to keep them there. */
const gitSettings = (home: string, env: NodeJS.ProcessEnv): string[] => [
	join(home, ".gitconfig"),
	...["config", "ignore", "attributes"].map((name) => join(env["XDG_CONFIG_HOME"] || join(home, ".config"), "git", name)),
];

/** A link out of the repository may have come with it, or be a session's: who wants what it leads to names that in `read`. */
function linked(root: string, name: string): Place[] {
	const [top, real] = [realPathOf(root), realPathOf(join(root, name))];
	return top === null || !real?.startsWith(`${top}${sep}`) ? [] : [read(join(root, name))];
}

function realPathOf(path: string): string | null {
	try {
		return realpathSync(path);
	} catch {
		return null;
	}
}

function placed(path: string, root: string, home: string): string {
	if (path === "~" || path.startsWith("~/")) return join(home, path.slice(1));
	return isAbsolute(path) ? path : resolve(root, path);
}

/** In the user's own checkout the journal and the other runs are beside the work. The workflows there are files of the repository. */
function pawlFolder(cwd: string): Place[] {
	const folder = join(cwd, ".pawl");
	return [
		read(folder),
		{ path: join(folder, "runs"), as: "empty" },
		{ path: join(folder, "worktrees"), as: "empty" },
		write(join(folder, "workflows")),
	];
}

/** Setup gets the environment of checks, and not everything that pawl was started with. */
export const confinedSetup =
	(c: RunsContext, config: Config, confine: Confine): ConfineSetup =>
	async (path) => ({ sandbox: await confine(path, "setup"), env: c.services.agentEnv(config, c.env).env });
