// A network between a store and its database that loses what tests want it to lose.
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/** What happens to a message of the client: `answer`: it arrives, the answer does not, and the connection is cut. `message`: it does not arrive, and the
 * connection is cut. `silence`: it arrives, and nothing ever comes back; the database does not hear of the end of that connection either. */
export type Loss = "answer" | "message" | "silence";

export interface Proxy {
	/** The same database, through this network. */
	readonly url: string;
	/** Asked for every piece that a client sends, as text. */
	lose: (sent: string) => Loss | null;
	/** From here on to another server; all connections are cut. */
	redirect(to: string): void;
	close(): Promise<void>;
}

export async function startProxy(to: string): Promise<Proxy> {
	let target = new URL(to);
	const sockets = new Set<Socket>();
	const server = createServer((client) => {
		const database = connect(Number(target.port), target.hostname);
		let lost: Loss | null = null;
		const cut = (): void => {
			client.destroy();
			if (lost !== "silence") database.destroy();
		};
		for (const socket of [client, database]) {
			sockets.add(socket);
			socket.on("error", cut).on("close", () => {
				sockets.delete(socket);
				cut();
			});
		}
		client.on("data", (data) => {
			lost ??= proxy.lose(data.toString("latin1"));
			if (lost === "message") cut();
			else database.write(data);
		});
		database.on("data", (data) => {
			if (lost === null) client.write(data);
			else if (lost === "answer") cut();
		});
	}).listen(0, "127.0.0.1");
	await once(server, "listening");
	const address = server.address();
	if (address === null || typeof address === "string") throw new Error("no port");
	const url = new URL(to);
	url.hostname = "127.0.0.1";
	url.port = String(address.port);
	const proxy: Proxy = {
		url: url.href,
		lose: () => null,
		redirect: (elsewhere) => {
			target = new URL(elsewhere);
			for (const socket of sockets) socket.destroy();
		},
		close: async () => {
			server.close();
			for (const socket of sockets) socket.destroy();
			await once(server, "close");
		},
	};
	return proxy;
}
