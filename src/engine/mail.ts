// The inboxes that a definition names: looked at one after the other, each letter fed to the run once and then used up. Committed
// first: what a crash leaves is known by its id and only cleared.
import type { Message } from "../core/input.ts";
import type { RunState } from "../core/model.ts";
import type { Inbox, InboxPlace, Letter } from "../extension.ts";
import type { EngineParts } from "./parts.ts";

export class Mail {
	private readonly parts: EngineParts;
	private readonly place: (state: RunState) => Promise<InboxPlace>;
	private looking: Promise<void> | null = null;

	constructor(parts: EngineParts, place: (state: RunState) => Promise<InboxPlace>) {
		this.parts = parts;
		this.place = place;
	}

	/** One look at all of them. A look that is under way is waited for, then a new one is made: it may have begun too early. */
	async look(state: () => RunState, feed: (inbox: string, id: string, message: Message) => void): Promise<void> {
		while (this.looking !== null) await this.looking;
		const inboxes = this.named(state());
		if (inboxes.length === 0) return;
		const looking = this.each(inboxes, state, feed).finally(() => {
			this.looking = null;
		});
		this.looking = looking;
		await looking;
	}

	async idle(): Promise<void> {
		while (this.looking !== null) await this.looking.catch(() => {});
	}

	get busy(): boolean {
		return this.looking !== null;
	}

	private named(state: RunState): (readonly [string, Inbox])[] {
		const all = this.parts.inboxes ?? {};
		return (state.definition.inboxes ?? []).flatMap((name) => {
			const inbox = Object.hasOwn(all, name) ? all[name] : undefined;
			return inbox ? [[name, inbox] as const] : [];
		});
	}

	private async each(
		inboxes: readonly (readonly [string, Inbox])[],
		state: () => RunState,
		feed: (inbox: string, id: string, message: Message) => void,
	): Promise<void> {
		for (const [name, inbox] of inboxes) {
			const place = await this.place(state());
			const letter: Letter | null = await inbox.look(place);
			if (letter === null) continue;
			// One that was taken before changes nothing: only its clearing was missed.
			feed(name, letter.id, letter.message);
			this.parts.crashPoint?.("message taken");
			await inbox.clear({ ...place, state: state() }, letter);
		}
	}
}
