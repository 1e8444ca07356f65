// A worktree in a repository of 20,000 files: the first story in a slot pays the checkout, the second must not.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { openRepository } from "../src/workspace/repository.ts";
import { type Figure, median, repetitions, repository, scratch, spreadText } from "./support.ts";

const FILES = 20_000;

export async function worktreeFigures(): Promise<Figure[]> {
	const { path, remove } = scratch();
	try {
		repository(path);
		for (let i = 0; i < FILES; i++) {
			const folder = join(path, `d${i % 200}`);
			if (i < 200) mkdirSync(folder);
			writeFileSync(join(folder, `f${i}.txt`), `file ${i}\n`.repeat(20));
		}
		execFileSync("git", ["add", "-A"], { cwd: path });
		execFileSync("git", ["commit", "-qm", "many files"], { cwd: path });
		const found = await openRepository(path, () => ({ setup: null, copy: [], link: [] }));
		if ("problem" in found) throw new Error(found.problem);
		const time = async <T>(f: () => Promise<T>): Promise<[number, T]> => {
			const start = performance.now();
			const value = await f();
			return [performance.now() - start, value];
		};
		const [first, tree] = await time(() => found.claim(1, "first", "main", "run-1"));
		const point = await tree.point();
		await tree.changes(point);
		const look = async (): Promise<number> => {
			const [looked] = await time(() => tree.changes(point));
			const [plain] = await time(async () => execFileSync("git", ["status", "--porcelain"], { cwd: tree.path }));
			return looked / plain;
		};
		// git compares whole seconds, so pawl looks at each file itself in the second of their checkout. A session takes longer than that.
		const young = await look();
		await setTimeout(3000);
		await tree.changes(point);
		const ratios: number[] = [];
		for (let i = 0; i < repetitions.times; i++) ratios.push(await look());
		await found.release(1, "first", "run-1");
		const [second] = await time(() => found.claim(1, "second", "main", "run-1"));
		await found.release(1, "second", "run-1");
		await found.close([1], "run-1");
		return [
			{ name: `first story in a slot, ${FILES} files`, value: `${first.toFixed(0)} ms`, aim: "", met: true },
			{
				name: "second story in the same slot / first",
				value: `${(second / first).toFixed(2)} (${second.toFixed(0)} ms)`,
				aim: "≤ 0.5",
				met: second / first <= 0.5,
			},
			{
				name: "looking for changes after a step / git status",
				value: spreadText(ratios),
				aim: "≤ 2",
				met: median(ratios) <= 2,
			},
			{ name: "the same in the second of their checkout, once", value: young.toFixed(2), aim: "", met: true },
		];
	} finally {
		remove();
	}
}
