// Code of a run that machines share, in a person's checkout: workers push what they do to the repository that all of them reach, and it is fetched from there when
// somebody looks at it.
import type { PersonsCheckout } from "../remote.ts";
import type { History } from "../workspace.ts";
import type { RunsContext } from "./context.ts";
import { Refusal } from "./refusal.ts";

export interface SharedCode {
	/** Makes sure that these commits are here. */
	obtain(commits: readonly string[]): Promise<void>;
	/** The commit of a branch of the shared repository, which is then here. */
	tipOf(branch: string): Promise<string>;
}

export function sharedCode(c: RunsContext, history: History, base: string): SharedCode {
	return {
		obtain: async (commits) => {
			for (const commit of commits) if (!(await isHere(history, commit))) await obtain(await checkoutOf(c, base), commit);
		},
		tipOf: async (branch) => {
			const { remote } = await checkoutOf(c, base);
			const found = await remote.baseCommit(branch);
			if (found.result === "found") return found.commit;
			throw new Refusal(
				"unavailable",
				found.result === "missing" ? `${remote.shown} has no branch ${branch}` : `${remote.shown} cannot be reached: ${found.message}`,
			);
		},
	};
}

async function obtain({ remote }: PersonsCheckout, commit: string): Promise<void> {
	const got = await remote.obtain(commit);
	if (got.result === "here") return;
	const why = got.result === "gone" ? `${remote.shown} does not have ${commit}` : `${remote.shown} cannot be reached: ${got.message}`;
	throw new Refusal("unavailable", `${why}. A worker pushed it: does this checkout have the same remote as the workers (--repo)?`);
}

const isHere = (history: History, commit: string): Promise<boolean> =>
	history.commitOf(commit).then(
		() => true,
		() => false,
	);

/** The checkout that the person stands in, with the remote of base, or `origin`, or the only one. */
export async function checkoutOf(c: RunsContext, base: string): Promise<PersonsCheckout> {
	const repository = await c.services.openRepository(c.cwd, () => ({ setup: null, copy: [], link: [] }));
	if ("problem" in repository)
		throw new Refusal("unavailable", `what workers changed is in git: call this in a checkout of the repository (${repository.problem})`);
	const remote = await repository.remote(base);
	if (remote === null)
		throw new Refusal("unavailable", "this checkout has no remote, so what workers did cannot be fetched: git remote add origin URL");
	const checkout = await c.services.openPersonsCheckout(repository.checkout, remote.url);
	if ("problem" in checkout) throw new Refusal("unavailable", `the remote ${remote.name} cannot be used: ${checkout.problem}`);
	return checkout;
}
