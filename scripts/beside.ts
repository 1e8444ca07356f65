// Runs command lines side by side: `node scripts/beside.ts "tsc" "biome check ." "node scripts/test.ts"`. The last one prints as it goes; what
// another one printed comes when it fails. Fails when any of them does.
import { spawn } from "node:child_process";

const lines = process.argv.slice(2);

const children = lines.map((line, i) => {
	const child = spawn(line, { shell: true, stdio: i === lines.length - 1 ? "inherit" : ["ignore", "pipe", "pipe"] });
	const printed: Buffer[] = [];
	for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk: Buffer) => printed.push(chunk));
	const done = new Promise<boolean>((resolve, reject) => {
		child.once("error", reject);
		child.once("close", (code) => {
			if (code !== 0) process.stderr.write(`${Buffer.concat(printed).toString("utf8")}FAILED: ${line}\n`);
			resolve(code === 0);
		});
	});
	return { child, done };
});
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => children.forEach(({ child }) => child.kill(signal)));
const ended = await Promise.all(children.map(({ done }) => done));
process.exitCode = ended.every(Boolean) ? 0 : 1;
