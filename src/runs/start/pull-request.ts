// What a run that is to end in a pull request needs before it starts: a branch to merge into that the remote has, and a forge that would take it.
import type { Config } from "../../config.ts";
import { projectOf } from "../../core/remote/host.ts";
import { chooseForge } from "../../engine/choose-forge.ts";
import type { Forge } from "../../forge.ts";
import type { Repository } from "../../workspace.ts";
import type { RunsContext } from "../context.ts";
import { Refusal } from "../refusal.ts";
import type { StartOptions } from "./start-options.ts";
import { baseOf } from "./tree.ts";

/** The branch that the pull request goes into. `named`: what the input says about it. */
export const targetOf = async (repository: Repository, config: Config, options: StartOptions, named?: string): Promise<string> =>
	named ?? (await baseOf(repository, config, options));

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

/** Hours of work must not end at something that could be known before. */
export async function refuseNoForge(c: RunsContext, repository: Repository, config: Config, target: string): Promise<void> {
	const reached = await reachForge(c, repository, config, target);
	if ("problem" in reached) throw new Refusal("unavailable", `--pr: ${reached.problem}`);
	if ((await repository.remoteHas(reached.remote, target)) === false)
		throw new Refusal(
			"refused",
			`--pr: ${reached.remote} has no branch ${target} that a pull request could go into: push it first (git push ${reached.remote} ${target}), or name another with --base`,
		);
}
