// For tests: a bare repository over HTTP, by git's own `http-backend`. It can be away, want a password, and cut a connection before or after git has done its work.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";

const EXEC_PATH = execFileSync("git", ["--exec-path"], { encoding: "utf8" }).trim();

export interface HttpServer {
	readonly address: string;
	/** Of each request, oldest first. */
	readonly seen: string[];
	/** How many requests whose URL has this text git has done its work for. */
	ended(text: string): number;
	/** What happens to requests whose URL has this text; the first that matches counts. */
	on(text: string, what: "unavailable" | "cut before" | "cut after" | "stall", times?: number): void;
	/** From now on only with this login. */
	wants(login: string): void;
	close(): Promise<void>;
}

interface Rule {
	readonly text: string;
	readonly what: "unavailable" | "cut before" | "cut after" | "stall";
	times: number;
}

export async function httpServer(repository: string): Promise<HttpServer> {
	const rules: Rule[] = [];
	const seen: string[] = [];
	const ended: string[] = [];
	let login: string | null = null;
	const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
		const url = new URL(request.url ?? "/", "http://localhost");
		seen.push(`${request.method} ${url.pathname}${url.search}`);
		const rule = rules.find((one) => one.times > 0 && `${url.pathname}${url.search}`.includes(one.text));
		if (rule !== undefined) rule.times--;
		if (rule?.what === "stall") return;
		if (rule?.what === "unavailable") return void response.writeHead(503).end();
		if (rule?.what === "cut before") return void request.socket.destroy();
		if (login !== null && request.headers.authorization !== `Basic ${Buffer.from(login).toString("base64")}`)
			return void response.writeHead(401, { "www-authenticate": 'Basic realm="git"' }).end();
		const out = await backend(request, url, dirname(repository));
		ended.push(`${request.method} ${url.pathname}`);
		if (rule?.what === "cut after") return void request.socket.destroy();
		const end = out.indexOf("\r\n\r\n");
		const headers = out
			.subarray(0, end)
			.toString("latin1")
			.split("\r\n")
			.map((line) => line.split(": ") as [string, string]);
		const status = Number(headers.find(([name]) => name.toLowerCase() === "status")?.[1].slice(0, 3) ?? "200");
		response.writeHead(status, Object.fromEntries(headers)).end(out.subarray(end + 4));
	};
	const server = createServer((request, response) => void answer(request, response));
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	return {
		address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/${repository.split("/").at(-1)}`,
		seen,
		ended: (text) => ended.filter((one) => one.includes(text)).length,
		on: (text, what, times = 1) => void rules.push({ text, what, times }),
		wants: (wanted) => {
			login = wanted;
		},
		close: async () => {
			server.closeAllConnections();
			server.close();
			await once(server, "close");
		},
	};
}

async function backend(request: IncomingMessage, url: URL, root: string): Promise<Buffer> {
	const child = spawn(join(EXEC_PATH, "git-http-backend"), {
		env: {
			PATH: process.env["PATH"],
			GIT_PROJECT_ROOT: root,
			GIT_HTTP_EXPORT_ALL: "1",
			GIT_CONFIG_COUNT: "2",
			GIT_CONFIG_KEY_0: "http.receivepack",
			GIT_CONFIG_VALUE_0: "true",
			GIT_CONFIG_KEY_1: "safe.directory",
			GIT_CONFIG_VALUE_1: "*",
			REQUEST_METHOD: request.method,
			PATH_INFO: url.pathname,
			QUERY_STRING: url.search.slice(1),
			CONTENT_TYPE: request.headers["content-type"] ?? "",
			HTTP_CONTENT_ENCODING: request.headers["content-encoding"] ?? "",
			GIT_PROTOCOL: request.headers["git-protocol"]?.toString() ?? "",
			REMOTE_ADDR: "127.0.0.1",
		},
		stdio: ["pipe", "pipe", "ignore"],
	});
	child.stdin.on("error", () => {});
	request.pipe(child.stdin);
	const chunks: Buffer[] = [];
	child.stdout.on("data", (chunk: Buffer) => void chunks.push(chunk));
	await once(child, "close");
	return Buffer.concat(chunks);
}
