// pawl.yml: what a repository, and a user for all of them, say about how pawl works. Read once, before anything is started; all problems are
// reported together, each with its line and column.
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { type AgentConfig, type Config, complete, layerOf, type NotifyCommand } from "./config/complete.ts";
import { merged, OF_A_REPOSITORY } from "./config/merge.ts";
import { type Source as Named, nameOf, namesProblems } from "./config/names.ts";
import { type AgentType, configSchema, keysAt, type WrittenConfig } from "./config/schema.ts";
import { closest } from "./core/closest.ts";
import { type Problem, readYaml } from "./yaml.ts";

export type { AgentConfig, AgentType, Config, NotifyCommand, Problem };

export type ConfigResult = { readonly ok: true; readonly config: Config } | { readonly ok: false; readonly problems: readonly Problem[] };

export const CONFIG_FILE = "pawl.yml";

/** `userFile`: the user's own, if there is one at that path; null: it is not read. */
export function loadConfig(root: string, userFile: string | null = null): ConfigResult {
	if (!existsSync(join(root, CONFIG_FILE)) && existsSync(join(root, "pawl.yaml")))
		return { ok: false, problems: [problemOf("pawl.yaml", `pawl reads ${CONFIG_FILE}; rename the file`)] };
	const user = userFile === null ? {} : readUserFile(userFile);
	if (Array.isArray(user)) return { ok: false, problems: user };
	const text = textOf(join(root, CONFIG_FILE), CONFIG_FILE);
	return typeof text === "string"
		? parseConfig(text, CONFIG_FILE, { written: user, file: userFile ?? "" })
		: { ok: false, problems: [text] };
}

/** Empty where there is no such file. */
function textOf(file: string, name: string): string | Problem {
	try {
		const stat = statSync(file, { throwIfNoEntry: false });
		if (stat === undefined) return "";
		return stat.isFile() ? readFileSync(file, "utf8") : problemOf(name, "this is not a file");
	} catch (error) {
		return problemOf(name, `cannot be read: ${error instanceof Error ? error.message : String(error)}`);
	}
}

const problemOf = (file: string, message: string): Problem => ({ file, line: 1, column: 1, message });

function readUserFile(file: string): WrittenConfig | Problem[] {
	const text = textOf(file, file);
	if (typeof text !== "string") return [text];
	const read = readWritten(text, file, {});
	if (Array.isArray(read)) return read;
	const { source, written } = read;
	const foreign = OF_A_REPOSITORY.filter((key) => (written[key] ?? null) !== null);
	if (foreign.length === 0) return written;
	return foreign.map((key) =>
		source.problem([key], "key", `\`${key}\` is about one repository: say it in the ${CONFIG_FILE} of that repository`),
	);
}

/** The user's own file, read already. */
interface UserFile {
	readonly written: WrittenConfig;
	readonly file: string;
}

export function parseConfig(text: string, file: string = CONFIG_FILE, user: UserFile = { written: {}, file: "" }): ConfigResult {
	const read = readWritten(text, file, user.written.agents ?? {});
	if (Array.isArray(read)) return { ok: false, problems: read };
	const layers = [layerOf(read.written, CONFIG_FILE), ...(user.file === "" ? [] : [layerOf(user.written, user.file)])];
	const notifies = read.written.notify?.command ? "repository" : "user";
	return { ok: true, config: complete(merged(user.written, read.written), layers, notifies) };
}

function readWritten(
	text: string,
	file: string,
	others: NonNullable<WrittenConfig["agents"]>,
): { readonly written: WrittenConfig; readonly source: Source } | Problem[] {
	const source = placed(text, file);
	if (source.value === undefined) return [...source.problems];
	const result = configSchema.safeParse(source.value ?? {});
	const issues = result.error?.issues.flatMap((issue) => describe(issue, source)) ?? [];
	const problems = [...source.problems, ...issues, ...namesProblems(source, others)].toSorted(
		(a, b) => a.line - b.line || a.column - b.column,
	);
	return result.success && problems.length === 0 ? { written: result.data, source } : problems;
}

interface Source extends Named<Problem> {
	readonly problems: readonly Problem[];
}

function placed(text: string, file: string): Source {
	const { value, problems, at } = readYaml(text, file);
	return { value, problems, problem: (path, where, message) => ({ file, ...at(path, where), message }) };
}

interface Issue {
	readonly code: string;
	readonly path: readonly PropertyKey[];
	readonly message: string;
	readonly keys?: readonly string[];
	readonly issues?: readonly { readonly message: string }[];
}

function describe(issue: Issue, source: Source): Problem[] {
	if (issue.code === "unrecognized_keys") {
		const known = keysAt(issue.path);
		return (issue.keys ?? []).map((key) => {
			const meant = closest(key, known);
			const hint = meant === null ? `known here: ${known.join(", ")}` : `did you mean \`${meant}\`?`;
			return source.problem([...issue.path, key], "key", `unknown key \`${nameOf([...issue.path, key])}\`; ${hint}`);
		});
	}
	const name = issue.path.length === 0 ? source.problem([], "value", "").file : `\`${nameOf(issue.path)}\``;
	if (issue.code === "invalid_key") return [source.problem(issue.path, "key", `${name} ${issue.issues?.[0]?.message ?? issue.message}`)];
	return [source.problem(issue.path, "value", `${name} ${issue.message}`)];
}
