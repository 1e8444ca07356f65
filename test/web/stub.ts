// A dashboard's server without pawl behind it: it serves the built page as `pawl ui` does, and answers with whatever a test put in. So
// screens can be tested with hostile text, thousands of stories and broken connections, in milliseconds.
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";
import { buildWeb } from "../../scripts/build-web.ts";

export const PAGE = join(import.meta.dirname, "..", "..", "dist", "web");
const POLICY =
	"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const TYPES: Readonly<Record<string, string>> = {
	".html": "text/html",
	".js": "text/javascript",
	".css": "text/css",
	".svg": "image/svg+xml",
};

export type Json = Readonly<Record<string, unknown>>;

/** How often it sends a comment, as `pawl ui` does: a page calls thirty seconds without a byte lost, and a test may take longer than that. */
const BEAT_MS = 5_000;

/** An answer that waits: what it says was read when it was asked for, as by a server whose answer takes long. */
export interface Held {
	readonly asked: Promise<void>;
	release(): void;
}

/** What the stub answers under /api/v1/: a value for each path. */
export class Stub {
	/** It sends no comments of its own accord. */
	silent = false;
	readonly answers = new Map<string, unknown>();
	/** Actions that came, by path. */
	readonly posted: { readonly path: string; readonly body: Json }[] = [];
	/** The refusal of an action: its path and the sentence. */
	readonly refusals = new Map<string, string>();
	/** Paths that are not answered for the moment. */
	readonly away = new Set<string>();
	/** Answers that are not sent yet: path → what takes the answer. */
	private readonly held = new Map<string, (send: () => void) => void>();
	/** What an action changes. */
	onPost: (path: string) => void = () => {};
	token = randomBytes(32).toString("base64url");
	port = 0;
	/** The headers with which streams were opened. */
	readonly opened: (string | undefined)[] = [];
	private posts = Promise.withResolvers<void>();
	private readonly streams = new Set<ServerResponse>();
	private server: Server | null = null;
	private beats: NodeJS.Timeout | undefined;
	private count = 0;

	get url(): string {
		return `http://127.0.0.1:${this.port}/#token=${this.token}`;
	}

	async start(): Promise<this> {
		if (!existsSync(join(PAGE, "index.html"))) await buildWeb();
		const server = createServer((request, response) => this.answer(request, response));
		await new Promise<void>((ready) => server.listen(this.port, "127.0.0.1", ready));
		this.port = (server.address() as AddressInfo).port;
		this.server = server;
		this.beats = setInterval(() => this.silent || this.beat(), BEAT_MS);
		return this;
	}

	async stop(): Promise<void> {
		const { server } = this;
		this.server = null;
		clearInterval(this.beats);
		this.streams.clear();
		await new Promise<void>((ended) => {
			if (server === null) return ended();
			server.close(() => ended());
			server.closeAllConnections();
		});
	}

	/** As after a restart of `pawl ui`: another token on the same port. */
	async restart(): Promise<void> {
		await this.stop();
		this.token = randomBytes(32).toString("base64url");
		await this.start();
	}

	/** The next answer of this path waits until it is released; those after it do not. */
	hold(path: string): Held {
		const released = Promise.withResolvers<void>();
		const asked = Promise.withResolvers<void>();
		this.held.set(path, (send) => {
			this.held.delete(path);
			asked.resolve();
			released.promise.then(send);
		});
		return { asked: asked.promise, release: released.resolve };
	}

	/** Until so many actions came: a key or a button that opens no dialog says nothing of it. */
	async came(count: number): Promise<void> {
		while (this.posted.length < count) await this.posts.promise;
	}

	/** Whoever asks for the runs from now on gets this row, too. */
	row(row: Json): void {
		const known = this.answers.get("runs");
		if (Array.isArray(known)) {
			const rows = known as readonly Json[];
			const isKnown = rows.some((one) => one["run"] === row["run"]);
			this.answers.set("runs", isKnown ? rows.map((one) => (one["run"] === row["run"] ? row : one)) : [row, ...rows]);
		}
		this.write(`event: run\ndata: ${JSON.stringify(row)}\n\n`);
	}

	journal(run: string, version: number, event: Json): void {
		this.count += 1;
		this.write(`event: journal\nid: ${this.count}\ndata: ${JSON.stringify({ run, version, event })}\n\n`);
	}

	/** A comment, as a server that has nothing to say sends it. */
	beat(): void {
		this.write(":\n\n");
	}

	get connections(): number {
		return this.streams.size;
	}

	private write(text: string): void {
		for (const stream of this.streams) stream.write(text);
	}

	private answer(request: IncomingMessage, response: ServerResponse): void {
		const { pathname, search } = new URL(request.url ?? "/", "http://x");
		if (!pathname.startsWith("/api/v1/")) return this.file(pathname, response);
		if (request.headers.authorization !== `Bearer ${this.token}`) return send(response, 401, refusal("unauthorized", "who is there?"));
		const path = pathname.slice("/api/v1/".length);
		if (path === "stream") return this.stream(request, response);
		if (request.method === "POST") return void this.action(path, request, response);
		if (this.away.has(path)) return send(response, 503, refusal("unavailable", "the store is busy"));
		const known = this.answers.get(`${path}${search}`) ?? this.answers.get(path);
		const value = typeof known === "function" ? (known as (search: string) => unknown)(search) : known;
		if (value === undefined) return send(response, 404, refusal("not_found", `there is no ${path}`));
		const hold = this.held.get(path);
		if (hold === undefined) send(response, 200, value);
		else hold(() => send(response, 200, value));
	}

	private file(path: string, response: ServerResponse): void {
		const file = join(PAGE, normalize(/^\/($|inbox$|new$|runs\/)/.test(path) ? "/index.html" : path));
		if (!existsSync(file)) return send(response, 404, refusal("not_found", path));
		response.writeHead(200, { "Content-Type": TYPES[extname(file)] ?? "text/plain", "Content-Security-Policy": POLICY });
		response.end(readFileSync(file));
	}

	private stream(request: IncomingMessage, response: ServerResponse): void {
		this.opened.push(request.headers["last-event-id"]?.toString());
		response.writeHead(200, { "Content-Type": "text/event-stream", "Cache-Control": "no-store" });
		response.write(": hello\n\n");
		this.streams.add(response);
		response.on("close", () => this.streams.delete(response));
	}

	private async action(path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
		let text = "";
		for await (const piece of request) text += String(piece);
		this.posted.push({ path, body: JSON.parse(text) as Json });
		this.posts.resolve();
		this.posts = Promise.withResolvers();
		this.onPost(path);
		const said = this.refusals.get(path);
		if (said !== undefined) return send(response, 409, refusal("conflict", said));
		send(response, 200, this.answers.get(`POST ${path}`) ?? { run: path.split("/")[1], what: "done", delivery: "taken" });
	}
}

const refusal = (code: string, message: string) => ({ error: { code, message } });

function send(response: ServerResponse, status: number, value: unknown): void {
	response.writeHead(status, { "Content-Type": "application/json", "Cache-Control": "no-store" });
	response.end(JSON.stringify(value));
}
