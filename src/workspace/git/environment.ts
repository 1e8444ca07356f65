// The environment of pawl's own git calls: nothing of the caller's that would send a call somewhere else or make it wait for a person.

export function gitEnvironment(): Record<string, string> {
	const env: Record<string, string> = {};
	for (const [name, value] of Object.entries(process.env)) {
		// The caller's identity is the user's wish; any other GIT_ variable would send our calls somewhere else.
		if (value === undefined || (name.startsWith("GIT_") && !/^GIT_(AUTHOR|COMMITTER)_(NAME|EMAIL)$/.test(name))) continue;
		env[name] = value;
	}
	return {
		...env,
		LC_ALL: "C",
		GIT_TERMINAL_PROMPT: "0",
		GIT_OPTIONAL_LOCKS: "0",
		GIT_EDITOR: "true",
		// A replaced object or a graft would make our calls see another history than the one that is there.
		GIT_NO_REPLACE_OBJECTS: "1",
		GIT_GRAFT_FILE: "/dev/null",
	};
}
