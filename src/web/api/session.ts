// The token of this tab. It comes with the link that `pawl ui` prints, leaves the address at once and is kept for the tab alone. Tabs of
// the same browser and port hand it to each other: a new tab asks for it, and after a restart of the server the new link, opened in one
// tab, heals all of them.
import { batch, signal } from "@preact/signals";

const KEPT = "pawl.token";

export const token = signal<string | null>(null);
/** The server refused the token: another server has taken the port, or none was ever given. */
export const refused = signal(false);

type Message = { readonly type: "ask" } | { readonly type: "token"; readonly token: string };

const channel = new BroadcastChannel("pawl");
/** The server has accepted the token of this tab. */
let proven = false;

function keep(given: string): void {
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
	if (kind === "token") keep(value);
	else await exchange(value);
	return true;
}

async function exchange(code: string): Promise<void> {
	const answer = await fetch("/session", {
		method: "POST",
		headers: { "Content-Type": "application/json" },
		body: JSON.stringify({ code }),
		cache: "no-store",
	}).catch(() => null);
	const body = answer?.ok ? ((await answer.json()) as { readonly token?: unknown }) : {};
	if (typeof body.token === "string") keep(body.token);
	else noToken();
}

function noToken(): void {
	refused.value = true;
	channel.postMessage({ type: "ask" } satisfies Message);
}

export async function openSession(): Promise<void> {
	channel.addEventListener("message", ({ data }: MessageEvent<Message>) => {
		if (data.type === "ask" && proven && token.value !== null) channel.postMessage({ type: "token", token: token.value } satisfies Message);
		// A tab whose own token works keeps it.
		if (data.type === "token" && !proven && data.token !== token.value) keep(data.token);
	});
	// A link with a token was opened in this tab while the page was there.
	addEventListener("hashchange", () => void takeFromAddress());
	if (await takeFromAddress()) return;
	const kept = sessionStorage.getItem(KEPT);
	if (kept !== null) token.value = kept;
	else noToken();
}

/** The server accepted it: other tabs may have it. */
export function tokenAccepted(used: string): void {
	if (used !== token.value) return;
	if (!proven) channel.postMessage({ type: "token", token: used } satisfies Message);
	proven = true;
	refused.value = false;
}

export function tokenRefused(used: string): void {
	if (used !== token.value) return;
	proven = false;
	noToken();
}
