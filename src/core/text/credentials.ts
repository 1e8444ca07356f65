// What looks like a credential in a text that somebody wrote: it is not passed on.

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

/** With `***` in its place. */
export function withoutCredentials(text: string): string {
	let clean = text;
	for (const shape of CREDENTIALS) clean = clean.replaceAll(shape, "***");
	return clean.replaceAll(PASSWORD, "$1***@");
}
