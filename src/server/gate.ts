// Who may ask: the checks that every request passes before its body is read, in this order: Host, Origin, token.
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { HttpError } from "./answer.ts";

/** 256 bits. */
export const newToken = (): string => randomBytes(32).toString("base64url");

export class Gate {
	private readonly hosts: ReadonlySet<string>;
	private readonly origins: ReadonlySet<string>;
	private readonly secret: Buffer;

	constructor(port: number, token: string) {
		const hosts = ["127.0.0.1", "localhost", "[::1]"].map((name) => `${name}:${port}`);
		this.hosts = new Set(hosts);
		this.origins = new Set(hosts.map((host) => `http://${host}`));
		this.secret = digest(token);
	}

	/** Stops a page of another site that reaches this port under a name of its own (DNS rebinding), and any page of another origin. */
	checkCaller(req: IncomingMessage): void {
		const hosts = values(req, "host");
		if (hosts.length !== 1 || !this.hosts.has(hosts[0] ?? ""))
			throw new HttpError("refused", "this server answers only under its own address");
		if (values(req, "origin").some((origin) => !this.origins.has(origin)))
			throw new HttpError("refused", "this server does not answer pages of other origins");
	}

	checkToken(req: IncomingMessage): void {
		const [given, ...more] = values(req, "authorization");
		const token = /^Bearer ([A-Za-z0-9_-]+)$/.exec(given ?? "")?.[1] ?? "";
		// Digests have the same length whatever was sent, so comparing them takes the same time.
		if (more.length > 0 || !timingSafeEqual(digest(token), this.secret))
			throw new HttpError("unauthorized", "this needs the token that pawl ui printed: Authorization: Bearer TOKEN");
	}
}

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

/** Every value of a header as it was sent; Node joins or drops repeated ones. */
function values({ rawHeaders }: IncomingMessage, name: string): string[] {
	return rawHeaders.flatMap((header, i) => (i % 2 === 0 && header.toLowerCase() === name ? [rawHeaders[i + 1] ?? ""] : []));
}

const CODE_MS = 60_000;

/** For the browser that pawl opens: its command line can be read by others, so it gets a code that is good for one exchange and one minute. */
export class OneTimeCode {
	private left: { readonly code: Buffer; readonly until: number } | null = null;
	private readonly now: () => number;

	constructor(now: () => number) {
		this.now = now;
	}

	issue(): string {
		const code = newToken();
		this.left = { code: digest(code), until: this.now() + CODE_MS };
		return code;
	}

	/** Whether it was good; it is not any more. */
	redeem(given: string): boolean {
		const { left } = this;
		if (left === null || !timingSafeEqual(digest(given), left.code)) return false;
		this.left = null;
		return this.now() < left.until;
	}
}
