// Whether a program that talks to a remote failed because the network or the server was away: then the same call may work later.

const AWAY = new RegExp(
	[
		"could not resolve (?:host|proxy)",
		"no such host",
		"temporary failure in name resolution",
		"connection (?:refused|reset|timed out|closed)",
		"failed to connect",
		"network is unreachable",
		"no route to host",
		"operation timed out",
		"i/o timeout",
		"tls handshake timeout",
		"context deadline exceeded",
		"client\\.timeout",
		"unexpected eof",
		"early eof",
		"the remote end hung up",
		"error connecting to",
		"dial tcp",
		"(?:http|error:|status(?: code)?)[ :/]*(?:429|50[0234])\\b",
		"\\b(?:429|50[0234]) (?:too many requests|internal server error|bad gateway|service unavailable|gateway time-?out)",
		": (?:429|50[0234]) \\{",
		"secondary rate limit",
	].join("|"),
	"i",
);

export const isNetworkTrouble = (text: string): boolean => AWAY.test(text);
