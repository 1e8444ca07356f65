// Who works in the worktrees of one clone. Slots are numbered across all runs of a database, and one worker works on several runs in one clone, with an engine
// for each: this is what keeps them apart.
import { WorkspaceError } from "../workspace.ts";

/** A story whose engine has got the worktree of a slot. */
export interface Occupant {
	/** The engine's workspaces. */
	readonly of: object;
	readonly run: string;
	readonly story: string;
	/** Ends what this process still does for the story, and resolves when that is over. */
	vacate(next: Occupant): Promise<void>;
}

/** The run of a story is over and has given up its slot; another run has it. */
export class SlotIsGone extends WorkspaceError {
	override name = "SlotIsGone";
}

export class Occupants {
	/** Slot → who got it last and has not left it. Another machine may have finished that story since, so that the journal has given the slot to the next one. */
	private readonly slots = new Map<number, Occupant>();

	/** Resolves when nobody else works in the slot. `isOver`: the run of `who` has ended and given its slots up, so another run that is there is there by right. */
	async enter(slot: number, who: Occupant, isOver: boolean): Promise<void> {
		for (;;) {
			const there = this.slots.get(slot);
			if (there === undefined || (there.of === who.of && there.story === who.story)) break;
			if (isOver && there.run !== who.run)
				throw new SlotIsGone(`run ${there.run} works on ${there.story} in the worktree that ${who.story} had`);
			await there.vacate(who);
			if (this.slots.get(slot) === there) this.slots.delete(slot);
		}
		this.slots.set(slot, who);
	}

	leave(of: object, story: string): void {
		for (const [slot, there] of this.slots) if (there.of === of && there.story === story) this.slots.delete(slot);
	}
}
