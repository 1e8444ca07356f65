// The stream of what happens in all runs. One connection for the page: it comes back by itself, goes on after the last event it saw, and
// counts as lost after 30 seconds without a byte.
import { effect, signal } from "@preact/signals";
import { refused, token, tokenAccepted, tokenRefused } from "./session.ts";
import { EventReader, type ServerEvent } from "./sse.ts";

export type Connection = "connecting" | "live" | "lost";

export const connection = signal<Connection>("connecting");
/** Goes up with every connection: whatever is shown is asked for again, since rows are not repeated. */
export const connected = signal(0);

const SILENT_MS = 30_000;
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 4_000;
/** A hidden tab gives its connection back: a browser has six for one server. */
const HIDDEN_MS = 120_000;

let lastId: string | null = null;
let current: AbortController | null = null;

export function openStream(take: (event: ServerEvent) => void): void {
	let wait = FIRST_WAIT_MS;
	let timer: ReturnType<typeof setTimeout> | undefined;

	const again = (): void => {
		connection.value = "lost";
		clearTimeout(timer);
		if (document.hidden && !mayNotify()) return;
		timer = setTimeout(connect, wait);
		wait = Math.min(wait * 2, LONGEST_WAIT_MS);
	};

	const connect = (): void => {
		clearTimeout(timer);
		current?.abort();
		const used = token.peek();
		if (used === null || refused.peek()) {
			if (connection.peek() !== "connecting" || refused.peek()) connection.value = "lost";
			return;
		}
		const mine = new AbortController();
		current = mine;
		follow(used, mine, take, () => {
			wait = FIRST_WAIT_MS;
		}).then(
			() => mine === current && again(),
			() => mine === current && again(),
		);
	};

	// A new token, or one that was refused.
	effect(() => {
		token.value;
		refused.value;
		connect();
	});
	addEventListener("online", connect);
	let hiding: ReturnType<typeof setTimeout> | undefined;
	document.addEventListener("visibilitychange", () => {
		clearTimeout(hiding);
		if (!document.hidden && connection.peek() !== "live") connect();
		if (document.hidden && !mayNotify()) hiding = setTimeout(() => current?.abort(), HIDDEN_MS);
	});
}

/** Hidden tabs that tell of questions need the stream. */
const mayNotify = (): boolean => typeof Notification !== "undefined" && Notification.permission === "granted";

async function follow(used: string, mine: AbortController, take: (event: ServerEvent) => void, began: () => void): Promise<void> {
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
		if (!answer.ok || answer.body === null) return;
		tokenAccepted(used);
		began();
		connection.value = "live";
		connected.value++;
		const events = new EventReader();
		for await (const piece of piecesOf(answer.body)) {
			clearTimeout(silence);
			silence = setTimeout(() => mine.abort(), SILENT_MS);
			for (const event of events.read(piece)) {
				if (event.id !== null) lastId = event.id;
				take(event);
			}
		}
	} finally {
		clearTimeout(silence);
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
