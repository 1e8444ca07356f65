// What must not leave the machine with a bug report: secrets of the environment, what looks like a credential, and where the user's home is.
import { homedir } from "node:os";
import { redactText } from "../../engine/redact.ts";

/** Shapes that credentials of well-known services have. */
const CREDENTIALS = [
	/\bsk-[A-Za-z0-9_-]{16,}/g,
	/\b(?:gh[pousr]|github_pat)_[A-Za-z0-9_]{20,}/g,
	/\bglpat-[A-Za-z0-9_-]{20,}/g,
	/\bxox[abprs]-[A-Za-z0-9-]{10,}/g,
	/\bAKIA[0-9A-Z]{16}\b/g,
	/\bAIza[0-9A-Za-z_-]{35}/g,
	/\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}/g,
	/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
];
/** `https://user:password@host`. */
const PASSWORD = /\b([a-z][a-z0-9+.-]*:\/\/[^/@\s:"]*:)[^/@\s"]+@/gi;

/** Returns the same text with `***` for what it takes out. */
export function scrubber(secrets: readonly string[], home = homedir()): (text: string) => string {
	return (text) => {
		let clean = redactText(text, secrets);
		for (const shape of CREDENTIALS) clean = clean.replaceAll(shape, "***");
		clean = clean.replaceAll(PASSWORD, "$1***@");
		return home.length > 1 ? clean.replaceAll(home, "~") : clean;
	};
}
