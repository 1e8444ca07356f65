// What a run that is to end in a pull request needs before it starts: a branch to merge into that the remote has, and a forge that would take it.
import type { Config } from "../../config.ts";
import type { Repository } from "../../workspace.ts";
import type { RunsContext } from "../context.ts";
import { reachForge } from "../forge.ts";
import { Refusal } from "../refusal.ts";
import type { StartOptions } from "./start-options.ts";
import { baseOf } from "./tree.ts";

/** The branch that the pull request goes into. `named`: what the input says about it. */
export const targetOf = async (repository: Repository, config: Config, options: StartOptions, named?: string): Promise<string> =>
	named ?? (await baseOf(repository, config, options));

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
