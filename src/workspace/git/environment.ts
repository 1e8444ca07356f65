// The environment of pawl's own git calls, without anything that would redirect a call or make it wait for a person.

export function gitEnvironment(): Record<string, string> {
	const env: Record<string, string> = {};
	for (const [name, value] of Object.entries(process.env)) {
		// Keeps the caller's identity; any other GIT_ variable would redirect our calls.
		if (value === undefined || (name.startsWith("GIT_") && !/^GIT_(AUTHOR|COMMITTER)_(NAME|EMAIL)$/.test(name))) continue;
		env[name] = value;
	}
	return {
		...env,
		LC_ALL: "C",
		GIT_TERMINAL_PROMPT: "0",
		GIT_OPTIONAL_LOCKS: "0",
		GIT_EDITOR: "true",
		// A replaced object or a graft would show our calls another history than the real one.
		GIT_NO_REPLACE_OBJECTS: "1",
		GIT_GRAFT_FILE: "/dev/null",
	};
}
