// The stream of what happens in all runs. One connection for all tabs of the browser: it comes back by itself, goes on after the last
// event it saw, and counts as lost after 30 seconds without a byte.
import { effect, signal } from "@preact/signals";
import { refused, serverLost, token, tokenAccepted, tokenRefused } from "./session.ts";
import { EventReader, type ServerEvent } from "./sse.ts";
import { type Connection, hearTabs, Leader, type Message, tell } from "./tabs.ts";

export const connection = signal<Connection>("connecting");
/** Goes up with every connection: whatever is shown is asked for again, since rows are not repeated. */
export const connected = signal(0);

const SILENT_MS = 30_000;
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 4_000;
/** A tab that holds the stream says something at least every 34 seconds, however the server fares. */
const GONE_MS = 45_000;
/** And answers a new tab at once, unless it is frozen or waits for its first connection. */
const NO_ANSWER_MS = 5_000;

let lastId: string | null = null;

export function openStream(take: (event: ServerEvent) => void): void {
	const leader = new Leader(
		() => own.connect(),
		() => {
			own.close();
			tell({ type: "ask" });
		},
	);
	const own = new OwnStream(take, leader);
	const others = new OthersStream(take, leader);
	hearTabs((message) => {
		if (!leader.leading) others.hear(message);
		else if (message.type === "ask") own.tellState();
	});
	// A new token, or one that was refused.
	effect(() => {
		token.value;
		if (refused.value) connection.value = "lost";
		own.connect();
	});
	const hurry = (): void => {
		if (!document.hidden && connection.peek() !== "live") own.connect();
	};
	addEventListener("online", hurry);
	document.addEventListener("visibilitychange", hurry);
	tell({ type: "ask" });
	leader.stand();
}

/** For the tab that leads: the connection itself. */
class OwnStream {
	private readonly take: (event: ServerEvent) => void;
	private readonly leader: Leader;
	private current: AbortController | null = null;
	private timer: ReturnType<typeof setTimeout> | undefined;
	private wait = FIRST_WAIT_MS;
	private number = 0;

	constructor(take: (event: ServerEvent) => void, leader: Leader) {
		this.take = take;
		this.leader = leader;
	}

	connect(): void {
		this.close();
		if (!this.leader.leading) return;
		const used = token.peek();
		if (used === null || refused.peek()) return this.become(refused.peek() ? "lost" : connection.peek());
		const mine = new AbortController();
		this.current = mine;
		const again = (): void => {
			if (mine !== this.current) return;
			serverLost();
			this.become("lost");
			this.timer = setTimeout(() => this.connect(), this.wait);
			this.wait = Math.min(this.wait * 2, LONGEST_WAIT_MS);
		};
		this.follow(used, mine).then(again, again);
	}

	close(): void {
		clearTimeout(this.timer);
		const { current } = this;
		this.current = null;
		current?.abort();
	}

	tellState(): void {
		tell({ type: "stream", state: connection.peek(), token: token.peek(), number: this.number });
	}

	private become(state: Connection): void {
		connection.value = state;
		this.tellState();
	}

	private async follow(used: string, mine: AbortController): Promise<void> {
		let silence = setTimeout(() => mine.abort(), SILENT_MS);
		try {
			const answer = await fetch("/api/v1/stream", {
				cache: "no-store",
				signal: mine.signal,
				headers: {
					Authorization: `Bearer ${used}`,
					Accept: "text/event-stream",
					...(lastId === null ? {} : { "Last-Event-ID": lastId }),
				},
			});
			if (answer.status === 401) tokenRefused(used);
			// The server does not know this id: everything is asked for again anyway.
			if (answer.status === 400) lastId = null;
			if (!answer.ok || answer.body === null || mine !== this.current) return;
			tokenAccepted(used);
			this.wait = FIRST_WAIT_MS;
			this.number = Math.random();
			this.become("live");
			connected.value++;
			const events = new EventReader();
			for await (const piece of piecesOf(answer.body)) {
				if (mine !== this.current) return;
				clearTimeout(silence);
				silence = setTimeout(() => mine.abort(), SILENT_MS);
				this.pass(events.read(piece));
			}
		} finally {
			clearTimeout(silence);
		}
	}

	private pass(events: readonly ServerEvent[]): void {
		const { number } = this;
		if (events.length === 0) tell({ type: "beat", number });
		for (const event of events) {
			lastId = event.id ?? lastId;
			tell({ type: "event", event, number });
			this.take(event);
		}
	}
}

/** For all other tabs: what the leading one tells. */
class OthersStream {
	private readonly take: (event: ServerEvent) => void;
	private readonly leader: Leader;
	private number = 0;
	private silence: ReturnType<typeof setTimeout> | undefined;
	private gone: ReturnType<typeof setTimeout> | undefined;

	constructor(take: (event: ServerEvent) => void, leader: Leader) {
		this.take = take;
		this.leader = leader;
		this.takeOverAfter(NO_ANSWER_MS);
	}

	hear(message: Message): void {
		if (message.type === "stream") this.follow(message.state, message.number);
		else if (message.type !== "event" && message.type !== "beat") return;
		// Of a tab that was frozen, and reads what is old by now; or this tab has not heard which one leads.
		else if (message.number !== this.number) return tell({ type: "ask" });
		else if (message.type === "event") {
			lastId = message.event.id ?? lastId;
			this.take(message.event);
		}
		clearTimeout(this.silence);
		this.silence = setTimeout(() => {
			if (!this.leader.leading) connection.value = "lost";
		}, SILENT_MS);
		this.takeOverAfter(GONE_MS);
	}

	private follow(state: Connection, number: number): void {
		const another = state === "live" && (connection.peek() !== "live" || number !== this.number);
		connection.value = state;
		this.number = number;
		if (another) connected.value++;
	}

	private takeOverAfter(ms: number): void {
		clearTimeout(this.gone);
		this.gone = setTimeout(() => {
			if (!this.leader.leading) this.leader.stand(true);
		}, ms);
	}
}

async function* piecesOf(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
	const reader = body.pipeThrough(new TextDecoderStream()).getReader();
	for (;;) {
		const { done, value } = await reader.read();
		if (done) return;
		yield value;
	}
}
