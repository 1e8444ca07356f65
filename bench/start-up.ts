// How long the package takes to start, against Node itself: processor time, side by side, in several repetitions.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { definition } from "./steps.ts";
import { builtPawl, cpuOf, type Figure, median, must, repetitions, repository, run, scratch, spreadText } from "./support.ts";

const AIM = 2;

export async function startUpFigures(): Promise<Figure[]> {
	const [site, other] = [scratch(), scratch()];
	try {
		const pawl = await builtPawl();
		repository(site.path);
		const workflow = join(other.path, "bench");
		mkdirSync(join(workflow, "prompts"), { recursive: true });
		writeFileSync(join(workflow, "prompts", "noop.md"), "{{step_description}}\n");
		writeFileSync(join(workflow, "workflow.yml"), definition(10));
		must(await run(pawl, ["run", workflow, "A run to look at", "--agent-command", "/bin/true"], site.path), "a run");
		const commands = { "--version": [pawl, "--version"], status: [pawl, "status"], runs: [pawl, "runs"] };
		const times = { node: [] as number[], "--version": [] as number[], status: [] as number[], runs: [] as number[] };
		// Fills the compile cache.
		for (const command of Object.values(commands)) cpuOf(command, site.path, 2);
		for (let i = 0; i < repetitions.times; i++) {
			times.node.push(cpuOf([process.execPath, "-e", "0"], site.path));
			for (const name of Object.keys(commands) as (keyof typeof commands)[]) times[name].push(cpuOf(commands[name], site.path));
		}
		const ratios = (name: keyof typeof commands): number[] => times[name].map((ms, i) => ms / (times.node[i] ?? ms));
		return [
			{ name: "node -e 0, processor time", value: `${spreadText(times.node, 0)} ms`, aim: "", met: true },
			...(Object.keys(commands) as (keyof typeof commands)[]).map((name) => ({
				name: `pawl ${name} / node -e 0`,
				value: spreadText(ratios(name)),
				aim: `≤ ${AIM} ×`,
				met: median(ratios(name)) <= AIM,
			})),
		];
	} finally {
		for (const one of [site, other]) one.remove();
	}
}
