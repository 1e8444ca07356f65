// The server of the dashboard: listens on this machine alone, checks every request in one order, and hands it to its route.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { RunsContext } from "../runs/context.ts";
import { RunsReader } from "../runs/look/reader.ts";
import { asRefusal, Refusal } from "../runs/refusal.ts";
import { act, Turns } from "./act.ts";
import { COMMON, fromRefusal, HttpError, sendError, sendJson } from "./answer.ts";
import { checked, readBody } from "./body.ts";
import { Feed } from "./feed.ts";
import { Gate, newToken, OneTimeCode } from "./gate.ts";
import { Page, sendAsset } from "./page.ts";
import { methodsOf, routeOf } from "./routes.ts";
import { CODE } from "./schemas.ts";
import { serveStream } from "./stream.ts";

/** Ids of the stream name every run that changed lately. */
const HEADERS_MAX = 64 * 1024;
const ADDRESS = "127.0.0.1";

export interface Running {
	readonly port: number;
	readonly token: string;
	/** With the token, for the person. */
	readonly url: string;
	/** false: the page has not been built here; the API works. */
	readonly hasPage: boolean;
	/** For a browser that pawl starts: with a code that is good once, because a command line can be read by others. */
	onceUrl(): string;
	close(): Promise<void>;
}

/** `port` 0: a free one. Throws a Refusal before anything is served or written. */
export async function serve(c: RunsContext, port: number): Promise<Running> {
	const reader = await RunsReader.open(c);
	const server = createServer({ maxHeaderSize: HEADERS_MAX, requireHostHeader: false });
	const at = await listen(server, port);
	const token = newToken();
	const code = new OneTimeCode(c.now);
	const feed = new Feed(reader);
	const page = new Page();
	const parts: Parts = { c, reader, feed, gate: new Gate(at, token), code, page, token, turns: new Turns() };
	const take = (req: IncomingMessage, res: ServerResponse): void => {
		answer(req, res, parts).catch((error: unknown) => sendError(req, res, asHttpError(error)));
	};
	server.on("request", take);
	// A client that asks before it sends a body gets the same checks first.
	server.on("checkContinue", take);
	server.on("clientError", refuseBroken);
	return {
		port: at,
		token,
		url: `http://${ADDRESS}:${at}/#token=${token}`,
		hasPage: page.built,
		onceUrl: () => `http://${ADDRESS}:${at}/#code=${code.issue()}`,
		close: async () => {
			feed.close();
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
			await reader.close();
		},
	};
}

interface Parts {
	readonly c: RunsContext;
	readonly reader: RunsReader;
	readonly feed: Feed;
	readonly gate: Gate;
	readonly code: OneTimeCode;
	readonly page: Page;
	readonly token: string;
	readonly turns: Turns;
}

/** Where the page exchanges the code of its address for the token. */
const EXCHANGE = "/session";

async function answer(req: IncomingMessage, res: ServerResponse, parts: Parts): Promise<void> {
	const { gate } = parts;
	gate.checkCaller(req);
	const [path = "", search = ""] = splitOnce(req.url ?? "", "?");
	const api = /^\/api(?:\/|$)/.test(path);
	if (api) gate.checkToken(req);
	if (!api) return path === EXCHANGE ? exchange(req, res, parts) : servePage(req, res, parts.page, path);
	const route = routeOf(path.replace(/^\/api\/(?:v1\/)?/, ""));
	if (route === null) throw nothingHere();
	allow(req, methodsOf(route));
	const { c, reader, feed } = parts;
	const query = new URLSearchParams(search);
	if (route.act !== undefined && req.method === "POST") {
		const body = await readBody(req, res);
		const { status, value } = await act({ c, reader, turns: parts.turns }, route.act, body);
		return sendJson(res, status, value);
	}
	if (route.stream) return serveStream(req, res, { feed, reader, now: c.now, query });
	sendJson(res, 200, await route.look?.({ c, reader, query }, ...route.names));
}

async function exchange(req: IncomingMessage, res: ServerResponse, { code, token }: Parts): Promise<void> {
	allow(req, ["POST"]);
	const given = checked(CODE, await readBody(req, res));
	if (!code.redeem(given.code))
		throw new HttpError("unauthorized", "this code was used, or is too old: open the address that pawl ui printed");
	sendJson(res, 200, { token });
}

function servePage(req: IncomingMessage, res: ServerResponse, page: Page, path: string): void {
	const asset = page.find(path);
	if (asset === undefined) throw nothingHere();
	allow(req, ["GET", "HEAD"]);
	sendAsset(res, asset, path);
}

/** It does not repeat the path: somebody may have put the token there. */
const nothingHere = (): HttpError => new HttpError("not_found", "there is nothing at this address");

function allow({ method = "" }: IncomingMessage, methods: readonly string[]): void {
	if (!methods.includes(method)) throw new HttpError("wrong_method", `${method} is not possible here`, methods);
}

function splitOnce(text: string, by: string): [string, string] {
	const at = text.indexOf(by);
	return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

const asHttpError = (error: unknown): HttpError => (error instanceof HttpError ? error : fromRefusal(asRefusal(error)));

/** What is not HTTP gets a short answer and no more. */
function refuseBroken(_: Error, socket: Socket): void {
	if (!socket.writable) return void socket.destroy();
	const text = JSON.stringify({ error: { code: "invalid", message: "this is not a request that can be read" } });
	const headers = {
		...COMMON,
		"Content-Type": "application/json; charset=utf-8",
		"Content-Length": String(text.length),
		Connection: "close",
	};
	const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
	socket.end(`HTTP/1.1 400 Bad Request\r\n${lines.join("")}\r\n${text}`);
}

function listen(server: Server, port: number): Promise<number> {
	return new Promise((resolve, reject) => {
		server.once("error", (error: NodeJS.ErrnoException) => {
			const why =
				error.code === "EADDRINUSE" ? "is taken" : error.code === "EACCES" ? "is not allowed" : `cannot be used (${error.message})`;
			reject(new Refusal("invalid", `port ${port} ${why}; choose another with --port, or leave it out`));
		});
		server.listen(port, ADDRESS, () => resolve((server.address() as AddressInfo).port));
	});
}
