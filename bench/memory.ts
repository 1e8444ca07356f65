// Memory while an agent prints 500 MB.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { builtPawl, type Figure, median, must, repeated, repository, run, scratch, spreadText } from "./support.ts";

const MOST_MB = 150;

export async function memoryFigures(): Promise<Figure[]> {
	const peaks = await repeated(flood);
	return [
		{
			name: "peak memory while an agent prints 500 MB",
			value: `${spreadText(peaks, 0)} MB`,
			aim: `≤ ${MOST_MB} MB`,
			met: median(peaks) <= MOST_MB,
		},
	];
}

async function flood(): Promise<number> {
	const [site, other] = [scratch(), scratch()];
	try {
		repository(site.path);
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
		return must(await run(await builtPawl(), ["run", "dynamic", "Print a lot", "--agent-command", agent], site.path, true), "the flood")
			.peakMb;
	} finally {
		site.remove();
		other.remove();
	}
}
