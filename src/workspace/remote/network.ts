// git calls that talk to the shared repository. The address is an argument each time: a session can change the clone's configuration, and with it what
// `origin` means. The user's own set-up of git says who we are there: credential helpers, ssh with its agent and keys, GIT_ASKPASS, GIT_SSH_COMMAND.
import { setTimeout as wait } from "node:timers/promises";
import { redactAddresses } from "../../core/remote/git-address.ts";
import { isNetworkTrouble } from "../../core/remote/network-trouble.ts";
import { WorkspaceError } from "../../workspace.ts";
import { type GitOptions, tryGit } from "../git/git.ts";

export interface NetworkResult {
	readonly code: number;
	readonly stdout: string;
	/** What git and the server said, without passwords. */
	readonly said: string;
	/** The same call may work later: the network was away, or somebody changed the same ref in that moment. */
	readonly transient: boolean;
}

/** Before each new try. */
const WAITS_MS: readonly number[] = [1_000, 4_000, 15_000];
const TIMEOUT_MS = 10 * 60_000;

/** git's own variables that say how to get in. All others would redirect our calls (environment.ts). Only who starts pawl can set them. */
const PASSED = [
	"GIT_ASKPASS",
	"GIT_SSH",
	"GIT_SSH_COMMAND",
	"GIT_SSH_VARIANT",
	"GIT_SSL_CAINFO",
	"GIT_SSL_CAPATH",
	"GIT_SSL_CERT",
	"GIT_SSL_KEY",
];

const STALLED = ["-c", "http.lowSpeedLimit=100", "-c", "http.lowSpeedTime=60"];

/** Two pushes at once: one of them finds the server's lock of a ref. */
const CONTENDED =
	/cannot lock ref|failed to (?:lock|update ref)|unable to create '[^']*\.lock'|atomic transaction failed|transaction (?:aborted|failed)/i;

export class Network {
	readonly address: string;
	private readonly root: string;
	private readonly waitsMs: readonly number[];

	constructor(root: string, address: string, waitsMs: readonly number[] = WAITS_MS) {
		this.root = root;
		this.address = address;
		this.waitsMs = waitsMs;
	}

	get shown(): string {
		return redactAddresses(this.address);
	}

	/** One call. */
	async once(args: readonly string[], options: GitOptions = {}): Promise<NetworkResult> {
		const env = { ...options.env, ...this.environment() };
		try {
			const result = await tryGit(this.root, [...STALLED, ...args], { timeoutMs: TIMEOUT_MS, ...options, env });
			const stdout = result.stdout.toString("utf8");
			const said = shorten(redactAddresses(`${result.stderr.trim()}\n${rejections(stdout)}`));
			return { code: result.code, stdout, said, transient: result.code !== 0 && (isNetworkTrouble(result.stderr) || CONTENDED.test(said)) };
		} catch (error) {
			// It did not end in time, or somebody ended it.
			if (!(error instanceof WorkspaceError)) throw error;
			return { code: -1, stdout: "", said: redactAddresses(error.message), transient: true };
		}
	}

	/** The call, again and again for a while if the network is away. Only for what can be repeated without a look at what happened. */
	patiently(args: readonly string[], options: GitOptions = {}): Promise<NetworkResult> {
		return this.again(
			() => this.once(args, options),
			(result) => result.transient,
		);
	}

	/** Does something until it is settled; the last result if it never is. */
	async again<T>(work: () => Promise<T>, isOpen: (result: T) => boolean): Promise<T> {
		let result = await work();
		for (const ms of this.waitsMs) {
			if (!isOpen(result)) return result;
			await wait(ms);
			result = await work();
		}
		return result;
	}

	private environment(): Record<string, string> {
		const passed = PASSED.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name] ?? ""] as const]));
		// Above all settings: no `insteadOf` of anybody leads to a helper program.
		const plain = this.address.toLowerCase().startsWith("http:") ? ":http" : "";
		return { ...Object.fromEntries(passed), GIT_ALLOW_PROTOCOL: `file:https:ssh${plain}` };
	}
}

/** The lines of `push --porcelain` that say why a ref was not taken. */
const rejections = (stdout: string): string =>
	stdout
		.split("\n")
		.filter((line) => line.startsWith("!"))
		.map((line) => line.split("\t").slice(1).join(" "))
		.join("\n");

const shorten = (text: string): string => text.trim().slice(0, 2000);
