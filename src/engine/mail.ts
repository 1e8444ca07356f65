// The control files that a definition names (`inboxes`): looked at one after the other; each message is fed to the run once, then cleared.
// It is committed first: after a crash its id is known, so it is only cleared.
import type { Message } from "../core/input.ts";
import type { RunState } from "../core/model.ts";
import type { ControlFiles, ControlFilesContext, ControlMessage } from "../format.ts";
import type { EngineParts } from "./parts.ts";

export class Mail {
	private readonly parts: EngineParts;
	private readonly place: (state: RunState) => Promise<ControlFilesContext>;
	private looking: Promise<void> | null = null;

	constructor(parts: EngineParts, place: (state: RunState) => Promise<ControlFilesContext>) {
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

	private named(state: RunState): (readonly [string, ControlFiles])[] {
		const all = this.parts.controlFiles ?? {};
		return (state.definition.inboxes ?? []).flatMap((name) => {
			const inbox = Object.hasOwn(all, name) ? all[name] : undefined;
			return inbox ? [[name, inbox] as const] : [];
		});
	}

	private async each(
		inboxes: readonly (readonly [string, ControlFiles])[],
		state: () => RunState,
		feed: (inbox: string, id: string, message: Message) => void,
	): Promise<void> {
		for (const [name, inbox] of inboxes) {
			const place = await this.place(state());
			const letter: ControlMessage | null = await inbox.look(place);
			if (letter === null) continue;
			// One that was taken before changes nothing: only its clearing was missed.
			feed(name, letter.id, letter.message);
			this.parts.crashPoint?.("message taken");
			await inbox.clear({ ...place, state: state() }, letter);
		}
	}
}
