// The small parts of process.ts: words of a command line, look-up, environment, redaction.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, describe, it } from "node:test";
import fc from "fast-check";
import { findExecutable, pickEnv, redactor, secretsOf, splitCommand } from "../process.ts";
import { behindGate, isolated, openGate } from "./isolation.ts";

const dir = mkdtempSync(join(tmpdir(), "pawl-parts-test-"));
after(() => rmSync(dir, { recursive: true, force: true }));

describe("splitCommand", () => {
	const words = (text: string): readonly string[] | string => {
		const split = splitCommand(text);
		return split.ok ? split.words : split.error;
	};

	it("splits as a shell does and expands nothing", () => {
		assert.deepEqual(words("  node  a.js\t--x=1\n"), ["node", "a.js", "--x=1"]);
		assert.deepEqual(words(`a 'b c' "d \\"e\\" \\x" f\\ g h'i'"j"`), ["a", "b c", 'd "e" \\x', "f g", "hij"]);
		assert.deepEqual(words(`'' "" $HOME *.ts #x`), ["", "", "$HOME", "*.ts", "#x"]);
		assert.deepEqual(words(""), []);
	});

	it("says what is unbalanced", () => {
		assert.match(String(words("a 'b")), /unbalanced '/);
		assert.match(String(words('a "b\\"')), /unbalanced "/);
		assert.match(String(words("a\\")), /nothing after/);
	});

	it("gives back any words that were quoted", () => {
		const quote = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;
		fc.assert(fc.property(fc.array(fc.string()), (list) => assert.deepEqual(words(list.map(quote).join(" ")), list)));
	});
});

describe("findExecutable", () => {
	it("takes executable files only, by name or by path", () => {
		writeFileSync(join(dir, "yes"), "", { mode: 0o755 });
		writeFileSync(join(dir, "no"), "", { mode: 0o644 });
		mkdirSync(join(dir, "folder"));
		symlinkSync("yes", join(dir, "link"));
		assert.equal(findExecutable("yes", "/", `/nowhere:${dir}`), join(dir, "yes"));
		assert.equal(findExecutable("link", "/", dir), join(dir, "link"));
		assert.equal(findExecutable("./yes", dir, ""), join(dir, "yes"));
		for (const name of ["no", "folder", "missing", ""]) assert.equal(findExecutable(name, "/", dir), null, name);
		assert.equal(findExecutable("./folder", dir, ""), null);
		assert.equal(findExecutable("yes", dir, "/nowhere"), null);
	});
});

it("pickEnv takes the named variables, with * for a beginning", () => {
	assert.deepEqual(pickEnv({ A: "1", LC_ALL: "x", LC_TIME: "y", B: "2", C: undefined }, ["A", "C", "LC_*"]), {
		A: "1",
		LC_ALL: "x",
		LC_TIME: "y",
	});
});

it("secretsOf goes by names, and finds passwords in URLs", () => {
	const env = {
		ANTHROPIC_API_KEY: "sk-0123456789",
		GITHUB_TOKEN: "ghp_abcdefgh",
		DB_PASSWORD: "hunter2hunter2",
		SHORT_TOKEN: "short",
		DATABASE_URL: "postgres://me:correct-horse@db/x",
		PATH: "/usr/bin:/usr/local/bin",
		PWD: "/home/somebody",
		SSH_AUTH_SOCK: "/run/ssh-agent.sock",
		KEYBOARD_LAYOUT: "querty-very-long",
		OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer collector-key,x-team=a",
	};
	assert.deepEqual(secretsOf(env), ["hunter2hunter2", "sk-0123456789", "correct-horse", "collector-key", "ghp_abcdefgh"]);
});

describe("redactor (X-10)", () => {
	const run = (secrets: readonly string[], chunks: readonly Buffer[]): string => {
		const filter = redactor(secrets);
		return String(Buffer.concat([...chunks.map((chunk) => filter.push(chunk)), filter.flush()]));
	};
	const cut = (text: string, sizes: readonly number[]): Buffer[] => {
		const bytes = Buffer.from(text);
		const chunks: Buffer[] = [];
		let at = 0;
		for (const size of sizes) {
			chunks.push(bytes.subarray(at, at + size));
			at += size;
		}
		return [...chunks, bytes.subarray(at)];
	};

	it("catches a secret wherever it is cut", () => {
		fc.assert(
			fc.property(
				fc.array(fc.constantFrom("S3CR3T-token", "S3CR3T-token-longer", "S3", "x", "é", "\n")),
				fc.array(fc.nat(7)),
				(parts, sizes) => {
					const whole = parts.join("");
					const expected = whole.replace(/S3CR3T-token(-longer)?/g, "***");
					assert.equal(run(["S3CR3T-token", "S3CR3T-token-longer"], cut(whole, sizes)), expected);
				},
			),
		);
	});

	it("catches one that is escaped in JSON", () => {
		const secret = 'a"quoted\\one\nand more';
		assert.equal(run([secret], [Buffer.from(JSON.stringify({ text: secret }))]), '{"text":"***"}');
	});

	it("holds nothing back that cannot be a secret", () => {
		assert.equal(String(redactor(["secret-value"]).push(Buffer.from("plain text\n"))), "plain text\n");
		assert.equal(run([], cut("as it is", [3])), "as it is");
	});
});

describe("the gate", () => {
	const marker = join(mkdtempSync(join(tmpdir(), "pawl-gate-")), "ran");
	after(() => rmSync(dirname(marker), { recursive: true, force: true }));
	const inner = { command: "/bin/sh", args: ["-c", `: > "${marker}"`] };
	const lines = { "in a namespace": isolated("unshare", inner, {}), "without one": behindGate(inner, {}) };
	for (const [where, line] of Object.entries(lines))
		it(`closed, because pawl died before it could say so, nothing runs ${where}`, async (t) => {
			if (line === null) return t.skip("the tools are not here");
			const start = () => spawn(line.command, [...line.args], { stdio: ["ignore", "ignore", "ignore", "pipe"] });
			const closed = start();
			(closed.stdio[3] as Socket).destroy();
			assert.deepEqual(await once(closed, "exit"), [125, null]);
			assert.ok(!existsSync(marker));
			const opened = start();
			openGate(opened);
			assert.deepEqual(await once(opened, "exit"), [0, null]);
			rmSync(marker);
		});
});
