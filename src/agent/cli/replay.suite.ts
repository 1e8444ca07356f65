// A stand-in for an agent CLI: prints a recorded stream, then ends as the recorded session did.
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Agent } from "../../agent.ts";
import { type CliOptions, cliAgent } from "./cli-agent.ts";
import { KNOWN_AGENTS } from "./known.ts";

const FIXTURES = fileURLToPath(new URL("fixtures", import.meta.url));

export const fixture = (cli: string, scenario: string): string => join(FIXTURES, `${cli}.${scenario}.jsonl`);

/** Runs `lines` of shell instead of the program, with the adapter's arguments. */
export function standIn(dir: string, cli: string, lines: string, over: Partial<CliOptions> = {}): Agent {
	const adapter = KNOWN_AGENTS[cli];
	if (adapter === undefined) throw new Error(`no such agent: ${cli}`);
	const program = join(dir, cli);
	writeFileSync(program, `#!/bin/sh\n${lines}\n`);
	chmodSync(program, 0o755);
	return cliAgent({ name: cli, adapter, command: [program], user: {}, isolate: false, ...over });
}

/** `end`: an exit code, or the name of a signal. */
export function replay(dir: string, cli: string, scenario: string, end: number | string, over: Partial<CliOptions> = {}): Agent {
	const file = fixture(cli, scenario);
	const errors = file.replace(/\.jsonl$/, ".stderr.txt");
	const last = typeof end === "number" ? `exit ${end}` : `kill -${end} $$`;
	return standIn(dir, cli, `cat > /dev/null\ncat '${file}'\n[ ! -e '${errors}' ] || cat '${errors}' >&2\n${last}`, over);
}
