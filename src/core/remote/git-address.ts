// The address of a git repository that machines share: which ones pawl takes, and how it shows them. git would run a program for some of them
// (`ext::sh -c …`, `--upload-pack=…`), and an address is in the arguments of processes, in the clone's configuration and in git's messages: no place for a password.

export type GitAddress = { readonly address: string } | { readonly problem: string };

const PROTOCOLS = new Set(["https", "ssh", "git+ssh", "ssh+git", "file"]);
/** Nothing of it leaves the machine. */
const LOOPBACK = /^(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])$/i;
const TOKEN = /^(?:gh[a-z]_|github_pat_|glpat-|x-oauth|oauth2$)|^.{30,}$/;
const HELPER = "set up a credential helper of git (or GIT_ASKPASS) and leave it out of the address";

export function gitAddress(text: string): GitAddress {
	const problem = (why: string): GitAddress => ({ problem: `${JSON.stringify(redactAddresses(text).slice(0, 200))}: ${why}` });
	if (text === "" || text.length > 2000) return { problem: "the address of the repository is missing or too long" };
	// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
	if (/[\s\u0000-\u001f\u007f]/.test(text)) return problem("an address has no spaces and no control characters");
	if (text.startsWith("-")) return problem("an address does not start with a dash: git would take it for an option");
	if (/^[A-Za-z0-9+.-]*::/.test(text)) return problem("pawl takes no address that makes git run a helper program");
	if (text.startsWith("/")) return { address: text };
	const [, protocol, rest = ""] = /^([A-Za-z][A-Za-z0-9+.-]*):\/\/(.*)$/.exec(text) ?? [];
	if (protocol !== undefined) return withProtocol(text, protocol.toLowerCase(), rest, problem);
	const [, login = "", host = ""] = /^(?:([\w.~+-]+)@)?([\w.-]+|\[[0-9A-Fa-f:.]+\]):(?!\/\/)[^-:]/.exec(text) ?? [];
	if (host === "" || login.startsWith("-") || host.startsWith("-"))
		return problem("pawl takes https://…, ssh://…, user@host:path, file://… or the absolute path of a folder");
	return { address: text };
}

function withProtocol(text: string, protocol: string, rest: string, problem: (why: string) => GitAddress): GitAddress {
	const authority = rest.slice(0, /[/?#]|$/.exec(rest)?.index);
	const at = authority.lastIndexOf("@");
	const [login, host] = [at < 0 ? "" : authority.slice(0, at), authority.slice(at + 1)];
	const isLocal = protocol === "http" && LOOPBACK.test(host.replace(/:\d*$/, ""));
	if (!PROTOCOLS.has(protocol) && !isLocal) return problem(`${protocol} is not one of https, ssh and file (http only for this machine)`);
	if (protocol === "file")
		return authority === "" || authority === "localhost" ? { address: text } : problem("file:// names no other machine");
	if (host === "" || host.startsWith("-") || login.startsWith("-")) return problem("the name of its host or of its user is not valid");
	if (/[?#]/.test(rest)) return problem("an address has no ? and no #");
	if (login.includes(":")) return problem(`it holds a password, which other programs can read: ${HELPER}`);
	if (protocol.startsWith("http") && TOKEN.test(login))
		return problem(`its user looks like a token, which other programs can read: ${HELPER}`);
	return { address: text };
}

/** Without what stands before the @ of a web address: git puts the address that it really used into its messages, and a person's `insteadOf` may have put a
 * password there. */
export const redactAddresses = (text: string): string =>
	text.replace(/\b([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/'"]{0,2000}@/gi, (whole, protocol: string) =>
		/^(?:git\+)?ssh/i.test(protocol) && !/:[^/]*@/.test(whole.slice(protocol.length)) ? whole : `${protocol}…@`,
	);
