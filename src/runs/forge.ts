// Which forge a run can use: the one of the repository's remote.
import type { Config } from "../config.ts";
import { projectOf } from "../core/remote/host.ts";
import { chooseForge } from "../engine/choose-forge.ts";
import type { Forge } from "../forge.ts";
import type { Repository } from "../workspace.ts";
import type { RunsContext } from "./context.ts";

interface ReachedForge {
	readonly forge: Forge;
	/** A folder of the repository. */
	readonly cwd: string;
	readonly project: string;
	readonly remote: string;
}

/** The one that pawl.yml names, whatever the host of the remote is called; else all. */
export const forgesOf = ({ services }: RunsContext, { forge: named }: Pick<Config, "forge">): readonly Forge[] =>
	named === null
		? services.forges
		: services.forges.filter(({ name }) => name === named).map((forge) => ({ ...forge, serves: () => true }));

/** The forge of the remote that a branch belongs to. */
export async function reachForge(
	c: RunsContext,
	repository: Repository,
	config: Pick<Config, "forge">,
	base: string | undefined,
): Promise<ReachedForge | { readonly problem: string }> {
	const remote = await repository.remote(base ?? repository.branch ?? "");
	if (remote === null) return { problem: "the repository has no remote: git remote add origin ADDRESS" };
	const chosen = await chooseForge(forgesOf(c, config), repository.root, remote.url);
	if ("problem" in chosen) return chosen;
	return { forge: chosen.forge, cwd: repository.root, project: projectOf(remote.url), remote: remote.name };
}
