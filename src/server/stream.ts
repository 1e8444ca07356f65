// One open stream of Server-Sent Events. It pulls: it reads on only when its client has taken what was sent, so a client that does not read costs one batch
// of memory and holds up nobody. It can be cut off at any time, because every event has an id to continue from.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { ReadRun, RunsReader } from "../runs/look/reader.ts";
import { API, HttpError } from "./answer.ts";
import type { Feed, FeedReader } from "./feed.ts";
import { version } from "./look.ts";
import { idOf, mayBeBehind, named, positionOf, versionAt } from "./position.ts";

/** A client that takes nothing for so long is cut off. */
const STUCK_MS = 120_000;
/** Characters that are written at once, or a little more. */
const WRITE = 32 * 1024;

export interface StreamParts {
	readonly feed: Feed;
	readonly reader: RunsReader;
	readonly now: () => number;
	readonly query: URLSearchParams;
}

export async function serveStream(req: IncomingMessage, res: ServerResponse, parts: StreamParts): Promise<void> {
	const run = parts.query.get("run");
	const after = parts.query.get("after");
	if (after !== null && run === null) throw new HttpError("invalid", "after needs the run that it is about: ?run=RUN&after=N");
	const from = after === null ? null : version(after);
	if (run !== null) await parts.reader.at(run, () => {});
	const stream = new Stream(res, parts, run);
	await parts.feed.add(stream);
	try {
		const lastId = req.headers["last-event-id"];
		const id = Array.isArray(lastId) ? lastId.join() : lastId;
		await stream.begin(id === undefined || id === "" ? null : id, from);
	} catch (error) {
		parts.feed.remove(stream);
		throw error;
	}
	res.once("close", () => {
		stream.end();
		parts.feed.remove(stream);
	});
	if (res.destroyed) parts.feed.remove(stream);
	res.writeHead(200, { ...API, "Content-Type": "text/event-stream; charset=utf-8", "X-Accel-Buffering": "no" });
	if (req.method === "HEAD") return void res.end();
	stream.open();
}

class Stream implements FeedReader {
	private readonly res: ServerResponse;
	private readonly feed: Feed;
	private readonly reader: RunsReader;
	private readonly now: () => number;
	/** null: all runs. */
	private readonly only: string | null;
	/** Run → how many of its events were sent. */
	private readonly sent = new Map<string, number>();
	/** The newest row of each run that changed and was not sent yet. */
	private readonly changed = new Map<string, string>();
	private opened = false;
	private blocked: NodeJS.Timeout | null = null;
	private pumping = false;
	private again = false;

	constructor(res: ServerResponse, { feed, reader, now }: StreamParts, only: string | null) {
		this.res = res;
		this.feed = feed;
		this.reader = reader;
		this.now = now;
		this.only = only;
	}

	/** Where it starts: after the event of an id, after a version, or with what comes next. */
	async begin(id: string | null, after: number | null): Promise<void> {
		this.changed.clear();
		const runs = this.runs();
		const position = id === null ? null : positionOf(id);
		if (id !== null && position === null) throw new HttpError("invalid", "Last-Event-ID is not an id of this stream");
		for (const [run, read] of runs) {
			const known = position?.versions.get(run);
			const start = known ?? (position === null ? (after ?? read.version) : await this.unnamed(read, position.at));
			if (start > read.version) throw new HttpError("invalid", `run ${run} has only ${read.version} events, not ${start}`);
			this.sent.set(run, start);
			// Whoever comes back may have missed any change of it.
			if ((position !== null || after !== null) && (start < read.version || read.row.status === "running")) this.rows([read]);
		}
		const gone = [...(position?.versions.keys() ?? [])].find((run) => !this.feed.runs.has(run));
		if (gone !== undefined) throw new HttpError("invalid", `Last-Event-ID names a run that is not here: ${gone}`);
	}

	private async unnamed(read: ReadRun, at: number | null): Promise<number> {
		if (at === null || !mayBeBehind(read, at)) return read.version;
		return Math.min(read.version, versionAt(await this.reader.events(read.row.run, 0, read.version), at));
	}

	open(): void {
		this.opened = true;
		this.res.on("drain", () => {
			if (this.blocked !== null) clearTimeout(this.blocked);
			this.blocked = null;
			this.wake();
		});
		this.write("retry: 1000\n: pawl\n\n");
		this.wake();
	}

	end(): void {
		if (this.blocked !== null) clearTimeout(this.blocked);
		this.opened = false;
	}

	rows(changed: readonly ReadRun[]): void {
		for (const { row } of changed)
			if (this.only === null || row.run === this.only) this.changed.set(row.run, `event: run\ndata: ${JSON.stringify(row)}\n\n`);
	}

	beat(): void {
		if (this.opened && this.blocked === null) this.write(":\n\n");
	}

	wake(): void {
		if (!this.opened) return;
		this.again = true;
		if (this.pumping) return;
		this.pumping = true;
		this.pump().then(
			() => {
				this.pumping = false;
			},
			// What cannot be read now is read when the client comes back.
			() => this.res.destroy(),
		);
	}

	private async pump(): Promise<void> {
		while (this.again && this.opened && this.blocked === null) {
			this.again = false;
			// First the rows: they were read after the events, so nobody sees an event of an engine that its row does not know yet.
			for (const text of this.changed.values()) this.write(text);
			this.changed.clear();
			for (const [run, { version: head }] of this.runs()) await this.catchUp(run, head);
		}
	}

	private async catchUp(run: string, head: number): Promise<void> {
		for (let at = this.sent.get(run) ?? 0; at < head; at = this.sent.get(run) ?? 0) {
			if (!this.opened || this.blocked !== null) return;
			const events = await this.feed.events(run, at);
			if (events.length === 0) return;
			// Many small events go out together: each write is a system call.
			let text = "";
			for (const { version: number, data } of events) {
				this.sent.set(run, number);
				text += `id: ${this.id(run)}\nevent: journal\ndata: ${data}\n\n`;
				if (text.length < WRITE) continue;
				this.write(text);
				text = "";
				if (!this.opened || this.blocked !== null) return;
			}
			if (text !== "") this.write(text);
		}
	}

	private id(run: string): string {
		if (this.only !== null) return idOf({ at: null, versions: new Map([[run, this.sent.get(run) ?? 0]]) });
		const at = this.now();
		return idOf({ at, versions: named(this.sent, this.feed.runs, at) });
	}

	private runs(): ReadonlyMap<string, ReadRun> {
		if (this.only === null) return this.feed.runs;
		const one = this.feed.runs.get(this.only);
		return new Map(one === undefined ? [] : [[this.only, one]]);
	}

	private write(text: string): void {
		if (this.res.write(text) || this.blocked !== null) return;
		this.blocked = setTimeout(() => this.res.destroy(), STUCK_MS);
	}
}
