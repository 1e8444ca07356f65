// Everything that somebody needs to look into a run that went wrong, in one archive: the journal, the files of the run, its state, and what the machine has.
// What must not leave the machine is taken out.
import { readFileSync } from "node:fs";
import { arch, platform, release } from "node:os";
import { join, relative, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { tailOf } from "../../core/cut.ts";
import { startedWith } from "../../core/started-with.ts";
import { filesBelow } from "../../files/below.ts";
import { textIn } from "../../files/read.ts";
import { fitsInTar, type TarEntry, tarOf } from "../../files/tar.ts";
import { createWhole } from "../../files/write.ts";
import type { RunsContext } from "../context.ts";
import { examine } from "../doctor/doctor.ts";
import { statusIn } from "../look/status.ts";
import { lookAt, type OpenRun } from "../open.ts";
import { Refusal } from "../refusal.ts";
import { bringLogs } from "../shared-files.ts";
import { scrubber } from "./scrub.ts";

/** Of one file: the end. */
const MOST_BYTES = 4 * 1024 * 1024;
const MOST_IN_ALL = 64 * 1024 * 1024;

export interface Bundle {
	readonly run: string;
	/** A gzipped tar. */
	readonly file: string;
	readonly bytes: number;
	readonly files: readonly string[];
	/** What is not in it, and why. */
	readonly left_out: readonly { readonly file: string; readonly why: string }[];
}

interface Collected {
	readonly entries: TarEntry[];
	readonly leftOut: { readonly file: string; readonly why: string }[];
	bytes: number;
}

export interface BundleHow {
	/** Where it is written. */
	readonly output?: string | undefined;
	/** With what agents were told and answered. */
	readonly logs: boolean;
}

export function bundle(c: RunsContext, name: string | undefined, { output, logs }: BundleHow): Promise<Bundle> {
	return lookAt(c, name, async (open) => {
		const scrub = scrubber(c.services.secretsIn(c.env));
		const at = c.now();
		const collected: Collected = { entries: [], leftOut: [], bytes: 0 };
		const add = (file: string, text: string): void => {
			const content = Buffer.from(scrub(text));
			if (!fitsInTar(`${open.state.id}/${file}`)) return void collected.leftOut.push({ file, why: "its name is too long" });
			if (collected.bytes + content.length > MOST_IN_ALL) return void collected.leftOut.push({ file, why: "the archive is full" });
			collected.bytes += content.length;
			collected.entries.push({ name: `${open.state.id}/${file}`, content });
		};
		const json = (value: unknown): string => `${JSON.stringify(value, null, "\t")}\n`;
		add("versions.json", json(await versions(c)));
		add("status.json", json(await statusIn(open, at)));
		add("journal.jsonl", open.events.map((event) => `${JSON.stringify(event)}\n`).join(""));
		const config = textIn(join(open.root, "pawl.yml"), { max: MOST_BYTES });
		if (config !== null) add("pawl.yml", config);
		if (logs) await bringLogs(open.store, open.state, () => true);
		addRunFiles(open, logs, add, collected.leftOut);
		const files = collected.entries.map((entry) => entry.name);
		const archive = gzipSync(tarOf(collected.entries, at));
		const file = resolve(c.cwd, output ?? `pawl-${open.state.id}.tar.gz`);
		if (!createWhole(file, archive)) throw new Refusal("refused", `${file} exists already: name another file with --output, or remove it`);
		return { run: open.state.id, file, bytes: archive.length, files, left_out: collected.leftOut };
	});
}

async function versions(c: RunsContext) {
	const { git, isolation, agents, config } = await examine(c);
	return {
		pawl: c.services.version,
		node: process.version,
		system: `${platform()} ${release()} ${arch()}`,
		git,
		isolation,
		agents,
		config,
	};
}

function addRunFiles({ state }: OpenRun, logs: boolean, add: (file: string, text: string) => void, leftOut: Collected["leftOut"]): void {
	const { sharedDir } = startedWith(state);
	for (const path of filesBelow(sharedDir)) {
		const file = `files/${relative(sharedDir, path)}`;
		if (!logs && file.startsWith("files/logs/")) continue;
		const bytes = readFileSync(path);
		// Work that is neither text nor pawl's own helps nobody.
		if (bytes.includes(0)) leftOut.push({ file, why: "it is no text" });
		else {
			const text = bytes.toString("utf8");
			add(file, bytes.length > MOST_BYTES ? `[the beginning is cut off]\n${tailOf(text, MOST_BYTES)}` : text);
		}
	}
	if (!logs) leftOut.push({ file: "files/logs/", why: "--no-logs" });
}
