// The token of this tab. It comes with the link that `pawl ui` prints, leaves the address at once and is kept for the tab alone. Tabs of
// the same browser and port hand it to each other: a new tab asks for it, and after a restart of the server the new link, opened in one
// tab, heals all of them.
import { batch, signal } from "@preact/signals";
import { hearTabs, type Message, tell } from "./tabs.ts";

const KEPT = "pawl.token";

export const token = signal<string | null>(null);
/** The server refused the token: another server has taken the port, or none was ever given. */
export const refused = signal(false);

/** The server has accepted the token of this tab, and has not been away since. */
let proven = false;
/** The token before this one: a link may be older than what the tab has. */
let before: string | null = null;

function keep(given: string): void {
	// The link that was opened already.
	if (given === token.peek() && !refused.peek()) return;
	if (given !== token.peek()) before = token.peek();
	proven = false;
	sessionStorage.setItem(KEPT, given);
	batch(() => {
		token.value = given;
		refused.value = false;
	});
}

/** Takes the token, or the code that is good for one exchange, out of the address. True if there was one. */
async function takeFromAddress(): Promise<boolean> {
	const given = /^#(token|code)=([\w-]+)/.exec(location.hash);
	if (given === null) return false;
	const [, kind, value = ""] = given;
	history.replaceState(null, "", location.pathname);
	const found = kind === "token" ? value : await exchange(value);
	if (found === null) noToken();
	else {
		keep(found);
		tell({ type: "token", token: found });
	}
	return true;
}

async function exchange(code: string): Promise<string | null> {
	const answer = await fetch("/session", {
		method: "POST",
		headers: { "Content-Type": "application/json" },
		body: JSON.stringify({ code }),
		cache: "no-store",
	}).catch(() => null);
	const body = answer?.ok ? ((await answer.json()) as { readonly token?: unknown }) : {};
	return typeof body.token === "string" ? body.token : null;
}

function noToken(): void {
	refused.value = true;
	tell({ type: "ask" });
}

export async function openSession(): Promise<void> {
	hearTabs(hear);
	// A link with a token was opened in this tab while the page was there.
	addEventListener("hashchange", () => void takeFromAddress());
	if (await takeFromAddress()) return;
	const kept = sessionStorage.getItem(KEPT);
	if (kept !== null) token.value = kept;
	else noToken();
}

function hear(message: Message): void {
	const own = token.peek();
	if (message.type === "ask" && proven && own !== null) tell({ type: "token", token: own });
	if (message.type === "refused" && message.token === own) {
		proven = false;
		refused.value = true;
	}
	if (message.type === "stream" && message.state === "live" && message.token !== null) {
		if (message.token !== own) keep(message.token);
		tokenAccepted(message.token);
	}
	if (message.type !== "token" || message.token === own) return;
	// A tab whose own token works keeps it, and the other one gets it.
	if (proven && own !== null) tell({ type: "token", token: own });
	else keep(message.token);
}

export function tokenAccepted(used: string): void {
	if (used !== token.peek()) return;
	proven = true;
	before = null;
	refused.value = false;
}

/** Whoever answers next may be another server. */
export function serverLost(): void {
	proven = false;
}

export function tokenRefused(used: string): void {
	if (used !== token.peek()) return;
	proven = false;
	const other = before;
	if (other !== null) {
		keep(other);
		before = null;
		return;
	}
	tell({ type: "refused", token: used });
	noToken();
}
