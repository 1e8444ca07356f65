// compose.yml and its Dockerfile: no container runs here, but what they say about pawl has to be true.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parse } from "yaml";
import { commandsOf } from "../../src/cli/commands.ts";
import type { Context } from "../../src/cli/context.ts";
import { services } from "../../src/wiring.ts";
import { PROJECT } from "./pages.ts";

interface Service {
	readonly image?: string;
	readonly build?: string;
	readonly command: readonly string[];
	readonly environment: Readonly<Record<string, string>>;
	readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
	readonly volumes: readonly string[];
	readonly healthcheck?: unknown;
}

const folder = join(PROJECT, "docs", "compose");
const text = readFileSync(join(folder, "compose.yml"), "utf8");
const { services: made, volumes } = parse(text) as { services: Record<string, Service>; volumes: Record<string, unknown> };

test("compose.yml is YAML whose parts fit together", () => {
	assert.deepEqual(Object.keys(made), ["database", "worker"]);
	const { database, worker } = made as Record<"database" | "worker", Service>;
	assert.ok(Number(/^postgres:(\d+)$/.exec(database.image ?? "")?.[1]) >= 15);
	assert.deepEqual(worker.depends_on, { database: { condition: "service_healthy" } });
	assert.notEqual(database.healthcheck, undefined);
	for (const name of database.volumes.map((volume) => volume.split(":")[0] ?? "")) assert.ok(name in volumes, name);
	const { username, hostname, pathname } = new URL(worker.environment["PAWL_DB"]?.replace("${PAWL_DB_PASSWORD}", "x") ?? "");
	assert.deepEqual(
		[username, hostname, pathname],
		[database.environment["POSTGRES_USER"], "database", `/${database.environment["POSTGRES_DB"]}`],
	);
	// What has no default is said in the head of the file.
	for (const [, name = ""] of text.matchAll(/\$\{(\w+):\?/g)) assert.match(text, new RegExp(`^#   ${name}=`, "m"));
});

test("the worker of compose.yml is started with a command and options that pawl has", async () => {
	const [name = "", ...rest] = made["worker"]?.command ?? [];
	const entry = commandsOf(services.commands)[name];
	assert.ok(entry, name);
	const known = (await entry.load()).command({} as Context).options.map(({ long }) => long);
	for (const option of rest.filter((word) => word.startsWith("--"))) assert.ok(known.includes(option), option);
});

/** The instructions of the Dockerfile: a word, and the rest of its line. */
function dockerfile(): (readonly [word: string, rest: string])[] {
	const file = join(folder, made["worker"]?.build ?? "", "Dockerfile");
	assert.ok(existsSync(file));
	const lines = readFileSync(file, "utf8").replaceAll("\\\n", "").split("\n");
	return lines
		.filter((line) => line !== "" && !line.startsWith("#"))
		.map((line) => [line.split(" ", 1)[0] ?? "", line.replace(/^\S+ /, "")]);
}

test("the Dockerfile is where compose.yml builds, with a Node that pawl runs on, and ends as a user without rights", () => {
	const all = dockerfile();
	for (const [word] of all) assert.match(word, /^(ARG|FROM|RUN|COPY|USER|WORKDIR|ENTRYPOINT)$/);
	const words = all.map(([word]) => word);
	assert.deepEqual(words.slice(words.lastIndexOf("USER")), ["USER", "WORKDIR", "ENTRYPOINT"]);
	assert.equal(all[words.lastIndexOf("USER")]?.[1], "node");
	for (const [, image] of all.filter(([word]) => word === "FROM")) assert.ok(Number(/^node:(\d+)-\w+-slim/.exec(image)?.[1]) >= 24, image);
});

test("what the Dockerfile copies is there, and what it runs is known", () => {
	const all = dockerfile();
	const stages = all.flatMap(([word, rest]) => (word === "FROM" ? [/ AS (\w+)$/.exec(rest)?.[1]] : []));
	const ignored = readFileSync(join(PROJECT, ".dockerignore"), "utf8").split("\n");
	for (const [, rest] of all.filter(([word]) => word === "COPY")) {
		const [first = "", ...others] = rest.split(" ");
		if (first.startsWith("--from=")) assert.ok(stages.includes(first.slice("--from=".length)), first);
		else
			for (const source of [first, ...others.slice(0, -1)]) {
				assert.ok(existsSync(join(PROJECT, source)), source);
				assert.ok(!ignored.includes(source), source);
			}
	}
	for (const [, rest] of all.filter(([word]) => word === "RUN"))
		for (const command of rest.split("&&"))
			assert.match(command.trim(), /^(apt-get|git config --system|npm (ci|pack|install --global)|rm) /);
	const apt = all.find(([, rest]) => rest.includes("apt-get"))?.[1] ?? "";
	assert.match(apt, /--no-install-recommends .*\bgit\b.*rm -rf \/var\/lib\/apt\/lists/);
});
