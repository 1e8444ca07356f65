// Which variables a process gets, and which values must be removed from its output.

/** The named variables that are set; a name that ends in * stands for all with that prefix. */
export function pickEnv(source: Readonly<Record<string, string | undefined>>, names: readonly string[]): Record<string, string> {
	const picked: Record<string, string> = {};
	for (const [name, value] of Object.entries(source)) {
		if (value === undefined) continue;
		if (names.some((wanted) => (wanted.endsWith("*") ? name.startsWith(wanted.slice(0, -1)) : name === wanted))) picked[name] = value;
	}
	return picked;
}

const SECRET =
	/(?:^|_|API|ACCESS|PRIVATE)(?:KEYS?|TOKENS?|SECRETS?|PASSWORDS?|PASSWD|PASS|PWD|PASSPHRASE|CREDENTIALS?|AUTH|COOKIE|PAT)(?:_|\d|$)/i;
// These name where a secret is kept, or the shell's own folder; redacting them would black out ordinary paths.
const PLACE = /(?:_(?:FILE|PATH|DIR|SOCK|ID)|^PWD|^OLDPWD|^GIT_CONFIG_KEY_\d+)$/i;
// Shorter values also occur in ordinary text.
const SHORTEST = 8;

// Lists of headers for a collector, `name=value,name=value`: often a key.
const HEADERS = /^OTEL_EXPORTER_OTLP_(?:\w+_)?HEADERS$/;

/** The last word of each: `Bearer` is no secret. */
const headerValues = (list: string): string[] =>
	list.split(",").flatMap((pair) => {
		const value =
			/=(.*)$/s
				.exec(pair)?.[1]
				?.trim()
				.split(/\s|%20/)
				.at(-1) ?? "";
		return value.length < SHORTEST ? [] : [value];
	});

/** Values of variables whose names look like secrets, and passwords inside of URLs. Longest first. */
export function secretsOf(env: Readonly<Record<string, string | undefined>>): string[] {
	const found = new Set<string>();
	for (const [name, value] of Object.entries(env)) {
		if (value === undefined) continue;
		if (SECRET.test(name) && !PLACE.test(name) && value.length >= SHORTEST) found.add(value);
		if (HEADERS.test(name)) for (const one of headerValues(value)) found.add(one);
		const password = /^[a-z][a-z0-9+.-]*:\/\/[^/@\s]*?:([^/@\s]+)@/i.exec(value)?.[1];
		if (password !== undefined && password.length >= SHORTEST) found.add(password);
	}
	return [...found].sort((a, b) => b.length - a.length);
}
