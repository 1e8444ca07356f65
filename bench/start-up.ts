// How long pawl takes to start, against Node itself.
import { type Figure, median, must, PAWL, repository, run, scratch } from "./support.ts";

const TIMES = 15;

export async function startUpFigures(): Promise<Figure[]> {
	const { path, remove } = scratch();
	try {
		repository(path);
		must(
			await run(
				PAWL,
				["run", "dynamic", "A run to look at", "--agent-command", "sh -c 'echo x >> f; git add f; git commit -qm x; true'"],
				path,
			).then((e) => ({ ...e, code: 0 })),
			"a run",
		);
		const node = await time(process.execPath, ["-e", "0"], path);
		const figures: Figure[] = [{ name: "node -e 0", value: `${node.toFixed(0)} ms`, aim: "", met: true }];
		for (const args of [["--version"], ["status"]]) {
			const ms = await time(PAWL, args, path);
			figures.push({
				name: `pawl ${args[0]}`,
				value: `${ms.toFixed(0)} ms (${(ms / node).toFixed(1)} ×)`,
				aim: "≤ 3 ×",
				met: ms <= 3 * node,
			});
		}
		return figures;
	} finally {
		remove();
	}
}

async function time(command: string, args: readonly string[], cwd: string): Promise<number> {
	const times: number[] = [];
	for (let i = 0; i < TIMES + 2; i++) {
		const { ms } = await run(command, args, cwd);
		// The first two fill caches.
		if (i >= 2) times.push(ms);
	}
	return median(times);
}
