// The worktrees of the memory repository, as one process sees them: a slot for each running story, or one for a run with its
// own branch. As with git, work that is in the way is saved under a backup ref first.
import { type BranchRequest, WorkspaceError } from "../../workspace.ts";
import { type Checkout, refOf } from "./memory-checkout.suite.ts";
import { sameTree } from "./memory-git.suite.ts";
import type { MemorySite, Slot } from "./memory-site.suite.ts";

const STORY = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

export class MemorySlots {
	private readonly site: MemorySite;
	private readonly holder: object;

	constructor(site: MemorySite, holder: object) {
		this.site = site;
		this.holder = holder;
	}

	claim(slot: number, story: string, base: string): Checkout {
		check(slot, story);
		const commit = this.ref(refOf(base));
		if (commit === undefined) throw new WorkspaceError(`there is no branch ${base} to start from`);
		this.takeFrom(slot, story);
		this.empty(slot);
		this.keep(story, this.ref(branchOf(story)));
		this.site.git.refs.set(branchOf(story), commit);
		this.site.git.refs.delete(keptOf(story));
		return this.open(slot, story);
	}

	reopen(slot: number, story: string): Checkout | null {
		check(slot, story);
		const tip = this.ref(branchOf(story)) ?? this.ref(keptOf(story));
		if (tip === undefined) return null;
		const there = this.site.slots.get(slot);
		if (there?.story === story && this.ref(branchOf(story)) !== undefined) {
			this.hold(slot);
			return this.ready(there);
		}
		this.takeFrom(slot, story);
		this.empty(slot);
		this.site.git.refs.set(branchOf(story), tip);
		return this.open(slot, story);
	}

	release(slot: number, story: string): void {
		check(slot, story);
		if (this.site.slots.get(slot)?.story === story) this.empty(slot);
		const tip = this.ref(branchOf(story));
		if (tip !== undefined) {
			this.keep(story, tip);
			this.site.git.refs.set(keptOf(story), tip);
			this.site.git.refs.delete(branchOf(story));
		}
		this.free(slot);
	}

	close(slots: readonly number[]): void {
		for (const slot of slots) {
			const there = this.site.slots.get(slot);
			if (there?.story != null) this.release(slot, there.story);
			this.remove(slot);
			this.free(slot);
		}
	}

	/** The one worktree of a run. Its branch gets the name that the run asks for, once. */
	openBranch(slot: number, { run, base, start, known, wanted }: BranchRequest): { checkout: Checkout; branch: string } {
		if (!Number.isInteger(slot) || slot < 0 || !STORY.test(run)) throw new WorkspaceError(`there is no slot ${slot} for ${run}`);
		let there = this.site.slots.get(slot);
		if (there?.run?.id !== run) {
			this.remove(slot);
			const branch = known ?? `pawl/${run}`;
			if (this.ref(refOf(branch)) === undefined) {
				const from = this.ref(refOf(base));
				if (from === undefined) throw new WorkspaceError(`there is no branch ${base} to start from`);
				const within = start !== undefined && this.site.git.ancestors(from).has(start);
				this.site.git.refs.set(refOf(branch), within ? start : from);
			}
			there = this.make(slot, branch);
			there.run = { id: run, branch, settled: known !== null && known !== `pawl/${run}` };
		}
		const made = there.run ?? { id: run, branch: known ?? "", settled: true };
		if (wanted !== null && !made.settled) {
			made.settled = true;
			if (isName(wanted) && this.ref(refOf(wanted)) === undefined) {
				this.site.git.refs.set(refOf(wanted), this.ref(refOf(made.branch)) ?? "");
				this.site.git.refs.delete(refOf(made.branch));
				there.checkout.head = { branch: wanted };
				made.branch = wanted;
			}
		}
		return { checkout: this.ready(there), branch: made.branch };
	}

	closeBranch(slot: number, run: string, start: string): void {
		const made = this.site.slots.get(slot)?.run;
		if (made?.id !== run) return;
		this.remove(slot);
		if (this.ref(refOf(made.branch)) === start) this.site.git.refs.delete(refOf(made.branch));
	}

	/** The story's branch may still be in another worktree: empties that of a dead process, leaves any other alone. */
	private takeFrom(slot: number, story: string): void {
		if (this.ref(branchOf(story)) === undefined) return;
		if (this.site.user.branch === `ralph/${story}`)
			throw new WorkspaceError(`branch ralph/${story} is checked out in ${this.site.root}; switch that to another branch`);
		for (const [other, there] of this.site.slots) {
			if (other === slot || there.story !== story) continue;
			const holder = this.site.slotHolders.get(other);
			if (holder !== undefined && holder !== this.holder)
				throw new WorkspaceError(`story ${story} is being worked on by another run, in ${there.checkout.path}`);
			this.empty(other);
		}
	}

	/** Afterwards the slot holds nothing worth keeping and is on no branch. */
	private empty(slot: number): void {
		const there = this.site.slots.get(slot);
		if (there === undefined) return;
		this.keepWork(there, there.story ?? there.run?.id ?? `agent-${slot}`);
		const { commit } = there.checkout;
		// Its branch was deleted meanwhile.
		if (commit === null) return this.remove(slot);
		there.checkout.head = { commit };
		there.story = null;
	}

	private keepWork({ checkout, story, run }: Slot, label: string): void {
		const { commit } = checkout;
		if (commit === null || (story === null && run === null)) return;
		const tree = checkout.look();
		if (!sameTree(tree, checkout.committed()))
			this.keep(label, this.site.git.commit(tree, [commit], `pawl: what ${label} had not committed\n`));
		this.keep(label, commit);
	}

	private open(slot: number, story: string): Checkout {
		this.hold(slot);
		const there = this.site.slots.get(slot) ?? this.make(slot, `ralph/${story}`);
		const before = there.checkout.look();
		there.checkout.head = { branch: `ralph/${story}` };
		for (const path of before.keys()) if (!there.checkout.committed().has(path)) there.checkout.files.remove(path);
		there.checkout.put(there.checkout.committed());
		there.story = story;
		return this.ready(there);
	}

	/** A setup that failed or was cut off runs again; one that changed since is applied. */
	private ready(there: Slot): Checkout {
		const { setup } = this.site;
		if (setup !== null && there.prepared !== setup.name) {
			setup.run(there.checkout);
			there.prepared = setup.name;
		}
		return there.checkout;
	}

	private make(slot: number, branch: string): Slot {
		const made: Slot = { checkout: this.site.checkout(this.site.pathOf(slot), branch), story: null, run: null, prepared: null };
		made.checkout.put(made.checkout.committed());
		this.site.slots.set(slot, made);
		return made;
	}

	private remove(slot: number): void {
		const there = this.site.slots.get(slot);
		if (there === undefined) return;
		this.keepWork(there, there.run?.id ?? there.story ?? `agent-${slot}`);
		there.checkout.files.clear();
		this.site.slots.delete(slot);
	}

	private hold(slot: number): void {
		if (!this.site.slotHolders.has(slot)) this.site.slotHolders.set(slot, this.holder);
	}

	private free(slot: number): void {
		if (this.site.slotHolders.get(slot) === this.holder) this.site.slotHolders.delete(slot);
	}

	private keep(label: string, commit: string | undefined): void {
		if (commit !== undefined) this.site.git.refs.set(`refs/pawl/backup/${label}/${commit.slice(0, 16)}`, commit);
	}

	private ref(name: string): string | undefined {
		return this.site.git.refs.get(name);
	}
}

const branchOf = (story: string): string => `refs/heads/ralph/${story}`;
export const keptOf = (story: string): string => `refs/pawl/kept/${story}`;
const isName = (name: string): boolean => /^[A-Za-z0-9][A-Za-z0-9._/-]{0,199}$/.test(name) && !/\.\.|\/\/|\/$|\.lock$|\.$/.test(name);

function check(slot: number, story: string): void {
	if (!Number.isInteger(slot) || slot < 0) throw new WorkspaceError(`there is no slot ${slot}`);
	if (!STORY.test(story) || /\.\.|\.$|\.lock$/.test(story))
		throw new WorkspaceError(`${JSON.stringify(story)} cannot be the id of a story`);
}
