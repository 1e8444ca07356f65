// Runs one part of `npm run prove` in a process and a folder of its own, within its time, and reads what it found.
import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { leftProcesses } from "./leaks.ts";
import type { Figures, Part } from "./prove-parts.ts";

export interface Proved {
	readonly name: string;
	readonly what: string;
	readonly counts: string;
	/** Of pawl, while it drove a run. */
	readonly kills: number;
	readonly seed: number;
	readonly seconds: number;
	readonly violations: readonly string[];
}

export interface ProveOptions {
	readonly seed: number;
	readonly minutes: number;
	readonly graceMs: number;
	/** For its temporary files; removed when it has ended. */
	readonly folder: string;
	readonly say: (text: string) => void;
}

/** Less than this is not worth starting for. */
const LEAST_MS = 2_000;

export async function prove(name: string, part: Part, { seed, minutes, graceMs, folder, say }: ProveOptions): Promise<Proved> {
	const known = { name, what: part.what, seed };
	const begun = Date.now();
	if (minutes * 60_000 < LEAST_MS) return { ...known, counts: "SKIPPED: no time was left", kills: 0, seconds: 0, violations: [] };
	const child = spawn(process.execPath, [...part.command({ seed, minutes })], {
		cwd: join(import.meta.dirname, ".."),
		env: { ...process.env, TMPDIR: folder },
		stdio: ["ignore", "pipe", "pipe"],
	});
	let isOver = false;
	const timer = setTimeout(
		() => {
			isOver = true;
			child.kill("SIGKILL");
			endAll(folder);
		},
		minutes * 60_000 + graceMs,
	);
	const said: string[] = [];
	createInterface(child.stdout).on("line", (line) => said.push(line));
	createInterface(child.stderr).on("line", (line) => {
		said.push(line);
		say(`${name}: ${line}`);
	});
	const code = await new Promise<number | null>((done, fail) => child.once("error", fail).once("close", done));
	clearTimeout(timer);
	endAll(folder);
	rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
	return { ...known, seconds: Math.round((Date.now() - begun) / 1000), ...resultOf(part, { said, code, isOver }) };
}

export interface PartEnd {
	readonly said: readonly string[];
	readonly code: number | null;
	/** It was ended because its time was over. */
	readonly isOver: boolean;
}

/** What a part printed, judged. One that had to be ended has found what it said that it found, and nothing else. */
export function resultOf(part: Pick<Part, "counts">, { said, code, isOver }: PartEnd): Pick<Proved, "counts" | "kills" | "violations"> {
	const last = said.findLast((line) => line.startsWith("{"));
	if (last === undefined) {
		const told = said.filter((line) => line.startsWith("VIOLATION"));
		if (isOver) return { counts: `STOPPED: it did not end in its time; ${said.at(-1) ?? "it said nothing"}`, kills: 0, violations: told };
		const rest = said.slice(-20).join("\n");
		return { counts: "none", kills: 0, violations: [...told, `it ended with ${code ?? "a signal"} and without figures:\n${rest}`] };
	}
	const figures = JSON.parse(last) as Figures;
	const violations = Array.isArray(figures["violations"])
		? figures["violations"].map((v) => (typeof v === "string" ? v : JSON.stringify(v)))
		: [];
	if (code !== 0 && !isOver && violations.length === 0) violations.push(`it ended with ${code ?? "a signal"}`);
	return { counts: part.counts(figures), kills: typeof figures["kills"] === "number" ? figures["kills"] : 0, violations };
}

/** What a part that was ended has left: only processes that certainly are its own. */
function endAll(folder: string): void {
	for (const { pid, inside } of leftProcesses(folder, new Set()))
		if (inside)
			try {
				process.kill(pid, "SIGKILL");
			} catch {
				// It has ended by itself.
			}
}

export function tableOf(proved: readonly Proved[]): string {
	const rows = proved.map(({ what, counts, violations, seed, seconds }) => [what, counts, `${violations.length}`, `${seed}`, `${seconds}`]);
	const kills = proved.reduce((sum, part) => sum + part.kills, 0);
	return [
		"| what | how many | violations | seed | seconds |",
		"|---|---|---|---|---|",
		...rows.map((cells) => `| ${cells.join(" | ")} |`),
		`| all of it | ${kills.toLocaleString("en")} kills of real runs | ${proved.reduce((sum, part) => sum + part.violations.length, 0)} | | |`,
	].join("\n");
}
