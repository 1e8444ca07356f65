// The server of the storm, and the standby that follows it: when the server is lost, the standby takes its place, and another standby follows that.
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { type PostgresServer, startPostgres } from "../../scripts/postgres.ts";
import { type Standby, startStandby } from "../../scripts/postgres-standby.ts";

export class StormServer {
	private readonly base: string;
	private first: PostgresServer;
	private standby: Standby | null = null;

	private constructor(base: string, first: PostgresServer) {
		this.base = base;
		this.first = first;
	}

	static async start(): Promise<StormServer> {
		// PostgreSQL runs as another user where this is root, and has to get into the folder.
		const base = mkdtempSync(join(tmpdir(), "pawl-storm-server-"));
		chmodSync(base, 0o711);
		const server = new StormServer(base, await startPostgres(base));
		await server.follow();
		return server;
	}

	get url(): string {
		return this.first.url;
	}

	crash(): Promise<void> {
		return this.first.crash();
	}

	start(): Promise<void> {
		return this.first.start();
	}

	/** The standby hears nothing for so long, then the server is lost, and the standby takes its place. False if that would lose what was confirmed: nobody promotes
	 * a standby that is behind. */
	async promote(stalledMs: number, moved: () => void): Promise<boolean> {
		const { first, standby } = this;
		if (standby === null || !(await standby.isInSync().catch(() => false))) return false;
		const release = await standby.stall();
		await wait(stalledMs);
		const crashed = first.crash();
		release();
		await crashed;
		await standby.promote();
		this.first = standby;
		this.standby = null;
		moved();
		await first.stop();
		return true;
	}

	/** Makes the next standby. */
	async follow(): Promise<void> {
		this.standby ??= await startStandby(this.first, { synchronous: true });
	}

	async stop(): Promise<void> {
		await this.standby?.stop();
		await this.first.stop();
		rmSync(this.base, { recursive: true, force: true });
	}
}
