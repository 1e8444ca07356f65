// What must not leave the machine with a bug report: secrets of the environment, what looks like a credential, and where the user's home is.
import { homedir } from "node:os";
import { withoutCredentials } from "../../core/text/credentials.ts";
import { redactText } from "../../engine/redact.ts";

/** Returns the same text with `***` for what it takes out. */
export function scrubber(secrets: readonly string[], home = homedir()): (text: string) => string {
	return (text) => {
		const clean = withoutCredentials(redactText(text, secrets));
		return home.length > 1 ? clean.replaceAll(home, "~") : clean;
	};
}
