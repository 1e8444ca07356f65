// What the tabs of this browser tell each other. One of them holds the stream and passes on what it reads: a browser has six connections
// for one server, and a stream in every tab would soon use up all of them.
import type { ServerEvent } from "./sse.ts";

export type Connection = "connecting" | "live" | "lost";

export type Message =
	/** A tab is new, or has no token that works. */
	| { readonly type: "ask" }
	/** A token of a link, or one that the server has accepted. */
	| { readonly type: "token"; readonly token: string }
	| { readonly type: "refused"; readonly token: string }
	/** How the stream stands; `number` is another one for each connection. */
	| { readonly type: "stream"; readonly state: Connection; readonly token: string | null; readonly number: number }
	| { readonly type: "event"; readonly event: ServerEvent; readonly number: number }
	/** The server has said something that is not for people. */
	| { readonly type: "beat"; readonly number: number };

const channel = new BroadcastChannel("pawl");

export const tell = (message: Message): void => channel.postMessage(message);

/** Those who listen first hear first. */
export function hearTabs(hear: (message: Message) => void): void {
	channel.addEventListener("message", ({ data }: MessageEvent<Message>) => hear(data));
}

const LOCK = "pawl.stream";

/** At most one tab leads. When it closes, the next one does. */
export class Leader {
	leading = false;
	private readonly begin: () => void;
	private readonly end: () => void;
	private asked: AbortController | null = null;

	/** `end` is called when another tab has taken over. */
	constructor(begin: () => void, end: () => void) {
		this.begin = begin;
		this.end = end;
	}

	/** Waits its turn. `takeOver`: from a tab that does not answer, as one that the browser has frozen. */
	stand(takeOver = false): void {
		// Browsers have locks only where they trust the address.
		const { locks } = navigator as { readonly locks?: LockManager };
		if (locks === undefined) return this.start();
		this.asked?.abort();
		const asked = new AbortController();
		this.asked = asked;
		locks
			.request(LOCK, takeOver ? { steal: true } : { signal: asked.signal }, () => new Promise<never>(() => this.start()))
			.catch(() => {
				if (this.asked !== asked || !this.leading) return;
				this.leading = false;
				this.end();
				this.stand();
			});
	}

	private start(): void {
		this.leading = true;
		this.begin();
	}
}
