// Memory while an agent prints 500 MB.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Figure, must, PAWL, repository, run, scratch } from "./support.ts";

export async function memoryFigures(): Promise<Figure[]> {
	const { path, remove } = scratch();
	const other = scratch();
	try {
		repository(path);
		const agent = join(other.path, "agent.sh");
		writeFileSync(
			agent,
			`#!/bin/sh
if [ "$PAWL_STEP_TYPE" = coding ]; then
	head -c 500000000 /dev/zero | tr '\\0' 'x' | fold -w 1000
	echo change > change.txt
fi
printf '\\n## SUMMARY\\n- done\\n'
`,
			{ mode: 0o755 },
		);
		const ended = must(await run(PAWL, ["run", "dynamic", "Print a lot", "--agent-command", agent], path, true), "the flood");
		return [
			{
				name: "peak memory while an agent prints 500 MB",
				value: `${ended.peakMb.toFixed(0)} MB`,
				aim: "≤ 150 MB",
				met: ended.peakMb <= 150,
			},
		];
	} finally {
		remove();
		other.remove();
	}
}
