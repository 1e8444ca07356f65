// What a run that is to end in a pull request needs before it starts: a branch to merge into that the remote has, and a forge that would take it.
import type { Config } from "../../config.ts";
import { chooseForge } from "../../engine/choose-forge.ts";
import type { Repository } from "../../workspace.ts";
import type { RunsContext } from "../context.ts";
import { Refusal } from "../refusal.ts";
import type { StartOptions } from "./start-options.ts";
import { baseOf } from "./tree.ts";

/** The branch that the pull request goes into. `named`: what the input says about it. */
export const targetOf = async (repository: Repository, config: Config, options: StartOptions, named?: string): Promise<string> =>
	named ?? (await baseOf(repository, config, options));

/** Hours of work must not end at something that could be known before. */
export async function refuseNoForge(c: RunsContext, repository: Repository, target: string): Promise<void> {
	const remote = await repository.remote(target);
	if (remote === null) throw new Refusal("refused", "--pr: the repository has no remote to push to: git remote add origin ADDRESS");
	const chosen = await chooseForge(c.services.forges, repository.root, remote.url);
	if ("problem" in chosen) throw new Refusal("unavailable", `--pr: ${chosen.problem}`);
	if ((await repository.remoteHas(remote.name, target)) === false)
		throw new Refusal(
			"refused",
			`--pr: ${remote.name} has no branch ${target} that a pull request could go into: push it first (git push ${remote.name} ${target}), or name another with --base`,
		);
}
