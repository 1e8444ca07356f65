// Whether a repository with ten thousand runs in its history is slower than one with a single run: the same commands in both, in alternating pairs.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { definition } from "./steps.ts";
import { builtPawl, type Figure, median, must, repository, run, scratch } from "./support.ts";

const RUNS = 10_000;
const PAIRS = 5;

export async function growthFigures(): Promise<Figure[]> {
	const [young, old, workflow] = [scratch(), scratch(), scratch()];
	try {
		const args = startOf(workflow.path);
		for (const { path } of [young, old]) {
			repository(path);
			must(await run(await builtPawl(), args, path), "the first run");
		}
		fill(join(old.path, ".pawl", "pawl.db"));
		const figures: Figure[] = [];
		const commands = {
			status: ["status"],
			runs: ["runs"],
			"a start and a run of one step": args,
			"a resume that finds it completed": ["resume"],
		};
		for (const [name, command] of Object.entries(commands)) {
			const ratios: number[] = [];
			for (let i = 0; i < PAIRS; i++) {
				const time = async (cwd: string): Promise<number> => must(await run(await builtPawl(), command, cwd), name).ms;
				const first = await time(i % 2 === 0 ? old.path : young.path);
				const second = await time(i % 2 === 0 ? young.path : old.path);
				ratios.push(i % 2 === 0 ? first / second : second / first);
			}
			const ratio = median(ratios);
			const spread = `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`;
			figures.push({
				name: `${name}: with ${RUNS.toLocaleString("en")} runs / with one`,
				value: `${ratio.toFixed(2)} (${spread})`,
				aim: "≤ 1.2",
				met: ratio <= 1.2,
			});
		}
		return figures;
	} finally {
		for (const one of [young, old, workflow]) one.remove();
	}
}

function startOf(folder: string): string[] {
	const workflow = join(folder, "bench");
	mkdirSync(join(workflow, "prompts"), { recursive: true });
	writeFileSync(join(workflow, "prompts", "noop.md"), "{{step_description}}\n");
	writeFileSync(join(workflow, "workflow.yml"), definition(1));
	return ["run", workflow, "nothing", "--agent-command", "/bin/true", "--quiet"];
}

/** Copies of the one run that is there, each with an id of its own and a year older. */
function fill(file: string): void {
	const db = new DatabaseSync(file);
	db.exec(`
		BEGIN;
		CREATE TEMP TABLE made AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${RUNS}) SELECT i FROM n;
		INSERT INTO runs (id, workflow_id, task, status, created_at, updated_at, overview, input)
			SELECT printf('20240101-000000-%05d', i), workflow_id, task, status,
				strftime('%Y-%m-%dT%H:%M:%fZ', 1700000000 + i, 'unixepoch'), updated_at, overview, input FROM runs, made;
		INSERT INTO events (run_id, version, at, event, data, commit_id)
			SELECT printf('20240101-000000-%05d', i), version, at, event, data, commit_id FROM events, made;
		COMMIT;
	`);
	db.close();
}
