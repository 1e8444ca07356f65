// A person's checkout of base follows what workers merge into it on the shared repository, as long as nothing of the person's is in the way.
import type { RunState } from "../../core/model.ts";
import type { FollowedBase, PersonsCheckout } from "../../remote.ts";
import type { Repository } from "../../workspace.ts";
import type { RunsContext } from "../context.ts";
import { checkoutOf } from "../shared-code.ts";

export class BaseFollower {
	private readonly c: RunsContext;
	private readonly repository: Repository;
	private readonly say: (text: string) => void;
	private checkout: Promise<PersonsCheckout> | null = null;
	private looking: Promise<void> = Promise.resolve();
	private waiting = false;

	constructor(c: RunsContext, repository: Repository, say: (text: string) => void) {
		this.c = c;
		this.repository = repository;
		this.say = say;
	}

	/** Something may have landed. `files`: those of the person's checkout that the run writes; they may have changes. */
	look(state: RunState, files: readonly string[]): void {
		if (this.waiting) return;
		this.waiting = true;
		this.looking = this.looking.then(async () => {
			this.waiting = false;
			await this.follow(state, files);
		});
	}

	/** Until the checkout is not being changed. */
	settled(): Promise<void> {
		return this.looking;
	}

	/** The last time: says why the checkout stays where it is, if it does. */
	async end(state: RunState, files: readonly string[]): Promise<void> {
		await this.looking;
		const how = await this.follow(state, files);
		if (how?.result === "stays") this.say(`your checkout does not have everything that was merged: ${how.why}`);
		if (how?.result === "unreachable") this.say(`your checkout may not have everything that was merged: ${how.message}`);
	}

	private async follow(state: RunState, files: readonly string[]): Promise<FollowedBase | null> {
		const { base } = state.options;
		if (base === null) return null;
		try {
			this.checkout ??= checkoutOf(this.c, base);
			const checkout = await this.checkout;
			if (!this.repository.holdTree()) return { result: "stays", why: "another run works in it" };
			try {
				const how = await checkout.followBase(base, files);
				if (how.result === "moved") this.say(`your checkout of ${base} moved forward to ${how.to.slice(0, 12)}`);
				return how;
			} finally {
				this.repository.freeTree();
			}
		} catch (error) {
			// Whatever is the matter with the checkout: the run goes on, and so does whoever follows it.
			return { result: "stays", why: error instanceof Error ? error.message : String(error) };
		}
	}
}
