// What each file of tests costs in CPU seconds, its processes included: with `scripts/test.ts --times` each process of tests loads this file,
// which adds a line when the process ends. CPU seconds do not depend on what else the machine does; the time on the wall does.
import { appendFileSync, readFileSync } from "node:fs";
import { basename, dirname, relative } from "node:path";

interface Cost {
	readonly name: string;
	readonly own: number;
	readonly children: number;
}

// Linux counts in hundredths of a second.
const TICKS_PER_SECOND = 100;
const SHOWN = 40;

const listed = process.env["PAWL_TEST_TIMES"];
const [, file = ""] = process.argv;
if (listed !== undefined && /\.test\.m?[jt]s$/.test(file))
	process.on("exit", () => {
		const [user = 0, system = 0, childUser = 0, childSystem = 0] = readFileSync("/proc/self/stat", "utf8")
			.replace(/^.*\) /s, "")
			.split(" ")
			.slice(11, 15)
			.map(Number);
		appendFileSync(listed, `${JSON.stringify([file, user + system, childUser + childSystem])}\n`);
	});

/** The dearest files, and the sum of each folder. */
export function timesOf(list: string, root: string): string {
	const costs = readFileSync(list, "utf8")
		.split("\n")
		.filter((line) => line !== "")
		.map((line): Cost => {
			const [path, own, children] = JSON.parse(line) as [string, number, number];
			const name = path.endsWith(".mjs") ? basename(path) : relative(root, path);
			return { name, own: own / TICKS_PER_SECOND, children: children / TICKS_PER_SECOND };
		})
		.sort((a, b) => total(b) - total(a));
	const folders = Object.groupBy(costs, ({ name }) => dirname(name));
	const sums = Object.entries(folders).map(([name, of = []]): Cost => ({ name, ...sum(of) }));
	const rows = [...costs.slice(0, SHOWN), ...sums.sort((a, b) => total(b) - total(a)), { name: "all", ...sum(costs) }];
	return [
		"# CPU seconds: all, the file's own process, the processes it started",
		...rows.map((row) => `${[total(row), row.own, row.children].map((s) => s.toFixed(1).padStart(7)).join("")}  ${row.name}`),
	].join("\n");
}

const total = ({ own, children }: Omit<Cost, "name">): number => own + children;
const sum = (costs: readonly Cost[]): Omit<Cost, "name"> => ({
	own: costs.reduce((all, { own }) => all + own, 0),
	children: costs.reduce((all, { children }) => all + children, 0),
});
