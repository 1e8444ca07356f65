// The faults of the storm, each by chance: workers are killed, stopped beyond their lease and let go on, told to leave; the server crashes, stays away, ends
// its connections or is lost for good, and a standby takes its place; answers to COMMIT get lost; whoever follows the run is killed; a person commits to the shared base and takes commits back.
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Chance } from "../support/soak-chance.ts";
import { killGroup, type Process, type StormWorld } from "./storm-world.ts";

export type FaultName =
	| "kill"
	| "stop"
	| "drain"
	| "crash"
	| "away"
	| "away 60 s"
	| "promotion"
	| "cut"
	| "lost answers"
	| "follower"
	| "person commits"
	| "person rewinds";

/** How often each comes, in relation to the others. */
const SHARES: Readonly<Record<FaultName, number>> = {
	kill: 6,
	stop: 3,
	drain: 1,
	crash: 3,
	away: 1,
	"away 60 s": 1,
	promotion: 2,
	cut: 4,
	"lost answers": 5,
	follower: 2,
	"person commits": 3,
	"person rewinds": 3,
};
/** Beyond the lease of ten seconds. */
const STOPPED_MS = [11_000, 14_000] as const;
const AWAY_MS = [3_000, 12_000] as const;
const LONG_AWAY_MS = 60_000;
const STALLED_MS = [0, 800] as const;
const WORKERS = ["a", "b", "c"] as const;
const DRAIN_MS = 120_000;

export class Storm {
	readonly counts: Partial<Record<FaultName, number>> = {};
	readonly wrong: string[] = [];
	/** Commits of the person that have to be on base in the end, and those that must not. */
	readonly kept: string[] = [];
	readonly rewound: string[] = [];
	follower: Process | null = null;
	private readonly world: StormWorld;
	private readonly luck: Chance;
	private readonly workers = new Map<string, Process>();
	private readonly stopped = new Set<string>();
	private readonly going = new Set<Promise<void>>();
	private isServerDown = false;
	private files = 0;

	constructor(world: StormWorld, luck: Chance) {
		this.world = world;
		this.luck = luck;
		for (const name of WORKERS) this.workers.set(name, world.worker(name));
	}

	get faults(): number {
		return Object.values(this.counts).reduce((sum, count) => sum + count, 0);
	}

	async next(): Promise<void> {
		const name = this.choose();
		const happened = await this.happen(name);
		if (happened) this.counts[name] = (this.counts[name] ?? 0) + 1;
	}

	/** Nothing goes wrong any more: everybody is there. */
	async heal(): Promise<void> {
		this.world.toLose = 0;
		await Promise.all(this.going);
		for (const name of WORKERS) this.revive(name);
	}

	/** Everybody leaves in order. */
	async end(): Promise<void> {
		for (const [name, worker] of this.workers) {
			const said = () => worker.said().slice(-800);
			if (isOver(worker)) {
				this.wrong.push(`worker ${name} ended by itself with ${worker.child.exitCode ?? worker.child.signalCode}: ${said()}`);
				continue;
			}
			process.kill(worker.pid, "SIGTERM");
			const ended = await Promise.race([worker.ended, wait(DRAIN_MS, null, { ref: false })]);
			// Node itself ends by the signal until the worker listens to it.
			const isYoung = ended?.signal === "SIGTERM" && worker.said() === "";
			if (ended === null || (ended.code !== 0 && !isYoung))
				this.wrong.push(`worker ${name} was told to leave: ${JSON.stringify(ended)}: ${said()}`);
		}
	}

	said(): string {
		return [...this.workers].map(([name, worker]) => `--- worker ${name}\n${worker.said().slice(-1500)}`).join("\n");
	}

	private choose(): FaultName {
		const names = Object.keys(SHARES) as FaultName[];
		const tickets = names.flatMap((name) => Array<FaultName>(SHARES[name]).fill(name));
		return tickets[this.luck.between(0, tickets.length - 1)] ?? "kill";
	}

	private async happen(name: FaultName): Promise<boolean> {
		const { world, luck } = this;
		const worker = WORKERS[luck.between(0, WORKERS.length - 1)] ?? "a";
		const [short, long] = [luck.between(0, 2_000), luck.between(...STOPPED_MS)];
		switch (name) {
			case "kill":
				return this.kill(worker, short);
			case "stop":
				return this.pause(worker, long);
			case "drain":
				return this.drain(worker);
			case "crash":
				return this.serverDown(short);
			case "away":
				return this.serverDown(luck.between(...AWAY_MS));
			case "away 60 s":
				// It takes as long as dozens of others.
				return this.counts[name] === undefined ? this.serverDown(LONG_AWAY_MS) : false;
			case "promotion":
				return this.promote(luck.between(...STALLED_MS));
			case "cut":
				await world
					.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
					.catch(() => []);
				return true;
			case "lost answers":
				world.toLose += luck.between(1, 5);
				return true;
			case "follower":
				if (this.follower === null || isOver(this.follower) || this.follower.said() === "") return false;
				killGroup(this.follower.pid);
				return true;
			case "person commits":
				return this.commit();
			case "person rewinds":
				return this.rewind();
		}
	}

	private kill(name: string, downMs: number): boolean {
		const worker = this.workers.get(name);
		if (worker === undefined || isOver(worker) || !hasStarted(worker)) return false;
		killGroup(worker.pid);
		this.meanwhile(async () => {
			await worker.ended;
			await wait(downMs);
			this.revive(name);
		});
		return true;
	}

	private pause(name: string, ms: number): boolean {
		const worker = this.workers.get(name);
		if (worker === undefined || isOver(worker) || this.stopped.has(name)) return false;
		this.stopped.add(name);
		killGroup(worker.pid, "SIGSTOP");
		this.meanwhile(async () => {
			await wait(ms);
			killGroup(worker.pid, "SIGCONT");
			this.stopped.delete(name);
		});
		return true;
	}

	private drain(name: string): boolean {
		const worker = this.workers.get(name);
		if (worker === undefined || isOver(worker) || this.stopped.has(name)) return false;
		process.kill(worker.pid, "SIGTERM");
		this.meanwhile(async () => {
			await worker.ended;
			this.revive(name);
		});
		return true;
	}

	private async serverDown(ms: number): Promise<boolean> {
		if (this.isServerDown) return false;
		this.isServerDown = true;
		await this.world.server.crash();
		this.meanwhile(async () => {
			await wait(ms);
			await this.world.server.start();
			this.isServerDown = false;
		});
		return true;
	}

	private async promote(stalledMs: number): Promise<boolean> {
		if (this.isServerDown) return false;
		this.isServerDown = true;
		const { server } = this.world;
		const promoted = await server.promote(stalledMs, () => this.world.redirect());
		// Until another standby follows, the new server must not be lost.
		this.meanwhile(async () => {
			if (promoted) await server.follow();
			this.isServerDown = false;
		});
		return promoted;
	}

	/** From a checkout that pawl does not know. */
	private commit(): boolean {
		const { world } = this;
		const place = join(world.folder, "person");
		try {
			if (!existsSync(place)) world.git(["clone", "-q", world.shared, place], world.folder);
			world.git(["fetch", "-q"], place);
			world.git(["reset", "-q", "--hard", "origin/main"], place);
			const file = `person-${this.files++}.txt`;
			writeFileSync(join(place, file), "of the person\n");
			world.git(["add", file], place);
			world.git(["commit", "-qm", `of the person: ${file}`], place);
			world.git(["push", "-q", "origin", "HEAD:main"], place);
			this.kept.push(world.git(["rev-parse", "HEAD"], place));
			return true;
		} catch {
			// A merge was faster.
			return false;
		}
	}

	/** Takes their newest commit back, if it is the newest of base. (A refspec with a plus would be stronger than the lease.) */
	private rewind(): boolean {
		const { world } = this;
		const last = this.kept.at(-1);
		if (last === undefined) return false;
		try {
			world.git(["push", "-q", `--force-with-lease=main:${last}`, "origin", `${last}~1:refs/heads/main`], join(world.folder, "person"));
		} catch {
			return false;
		}
		this.kept.pop();
		this.rewound.push(last);
		return true;
	}

	private revive(name: string): void {
		const worker = this.workers.get(name);
		if (worker === undefined || isOver(worker)) this.workers.set(name, this.world.worker(name));
	}

	private meanwhile(work: () => Promise<void>): void {
		const doing = work()
			.catch((error: unknown) => void this.wrong.push(`the storm itself: ${error}`))
			.finally(() => this.going.delete(doing));
		this.going.add(doing);
	}
}

/** On a busy machine a start takes longer than the time between two faults: only killed while they start, none would ever work. */
const hasStarted = (worker: Process): boolean => worker.said().includes("stop it with Ctrl-C");

const isOver = ({ child }: Process): boolean => child.exitCode !== null || child.signalCode !== null;
