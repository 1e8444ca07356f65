// Everything that docs/tutorial.md tells the reader to type, typed in its order into a shell in an empty folder. A text block is what the block
// before it prints: each of its lines is there, in that order; ids, commits and times differ from run to run.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { test } from "node:test";
import { PAWL } from "../support/bin.ts";
import { scratchFolder } from "../support/scratch.ts";
import { page } from "./pages.ts";

/** Without what differs from run to run. */
const stable = (line: string): string =>
	line
		.replaceAll(/\b\d{8}-\d{6}-[a-z0-9]{4}\b/g, "RUN")
		.replaceAll(/\b(?=[0-9a-f]*\d)[0-9a-f]{7,12}\b/g, "COMMIT")
		.replaceAll(/\b(\d+h)?(\d+m)?\d+(\.\d+)?m?s\b/g, "TIME")
		.replaceAll(/\s+/g, " ")
		.trim();

/** The lines of `expected` that do not follow in `printed`. */
function missing(expected: string, printed: string): string[] {
	const lines = printed.split("\n").map(stable);
	let from = 0;
	return expected.split("\n").filter((line) => {
		if (line.trim() === "") return false;
		const at = lines.findIndex((one, index) => index >= from && one.includes(stable(line)));
		if (at !== -1) from = at + 1;
		return at === -1;
	});
}

interface Shell {
	/** Everything that the commands print; fails if one of them fails. */
	type(commands: string): Promise<string>;
}

function shellIn(folder: string): Shell {
	const [bin, home, place] = [join(folder, "bin"), join(folder, "home"), join(folder, "where")];
	for (const made of [bin, home]) mkdirSync(made);
	symlinkSync(PAWL, join(bin, "pawl"));
	// Somebody who has git set up, and no browser.
	writeFileSync(join(home, ".gitconfig"), "[user]\n\tname = Reader\n\temail = reader@example.invalid\n[gc]\n\tauto = 0\n");
	writeFileSync(place, folder);
	const { PAWL_TESTED: _, PAWL_DB: __, ...rest } = process.env;
	const env = { ...rest, PATH: [bin, dirname(process.execPath), rest["PATH"]].join(delimiter), HOME: home, NO_COLOR: "1", BROWSER: "true" };
	return {
		type: (commands) =>
			new Promise((resolve, reject) => {
				const script = `set -eo pipefail\n${commands}\npwd > "${place}"\n`;
				const child = spawn("bash", ["-c", script], { cwd: readFileSync(place, "utf8").trim(), env, detached: true });
				let printed = "";
				const hear = (chunk: Buffer): void => {
					printed += chunk;
					// A server: it has said where it is, and the reader presses Ctrl-C.
					if (/^pawl ui$/m.test(commands) && /http:\S+/.test(printed)) process.kill(-(child.pid ?? 0), "SIGINT");
				};
				child.stdout.on("data", hear);
				child.stderr.on("data", hear);
				child.once("error", reject).once("close", (code) => {
					if (code === 0 || /^pawl ui$/m.test(commands)) resolve(printed);
					else reject(new Error(`exit code ${code} of\n${commands}\n${printed}`));
				});
			}),
	};
}

test("docs/tutorial.md: every command works, and prints what the page says", async () => {
	const { type } = shellIn(scratchFolder("tutorial"));
	let printed = "";
	const seen = { sh: 0, text: 0 };
	for (const { language, text, line } of page("docs/tutorial.md").blocks) {
		if (language === "sh") printed = await type(text);
		else assert.deepEqual(missing(text, printed), [], `docs/tutorial.md:${line}\n${printed}`);
		seen[language as keyof typeof seen]++;
	}
	assert.ok(seen.sh > 10 && seen.text > 4, JSON.stringify(seen));
	assert.match(printed, /Let greet\.sh greet several people at once/);
});
