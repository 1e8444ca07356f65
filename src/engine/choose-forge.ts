// Which forge a remote belongs to: the one that knows its address, else the first one that the user is logged in to.
import type { Forge } from "../forge.ts";

export type ChosenForge = { readonly forge: Forge } | { readonly problem: string };

export async function chooseForge(forges: readonly Forge[], cwd: string, remoteUrl: string): Promise<ChosenForge> {
	const own = forges.filter((forge) => forge.serves(remoteUrl) === true);
	const asked = own.length > 0 ? own : forges.filter((forge) => forge.serves(remoteUrl) !== false);
	const problems: string[] = [];
	for (const forge of asked) {
		const problem = await forge.problem(cwd, remoteUrl);
		if (problem === null) return { forge };
		problems.push(problem);
	}
	if (problems.length === 0) return { problem: `no known forge serves ${remoteUrl}` };
	return { problem: problems.join("; ") };
}
