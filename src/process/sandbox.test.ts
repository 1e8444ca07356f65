// The parts of a sandbox: what it shows of this machine, in which order, and how it is ended.
import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, describe, it } from "node:test";
import { hasNetwork, type Place, read, write } from "../core/sandbox/sandbox.ts";
import { arranged, bwrapArgs } from "./bwrap.ts";
import { containerLine, sweepContainers } from "./container.ts";
import { programPlaces, system } from "./places.ts";
import { sandboxed, sandboxProblem } from "./sandbox.ts";

const dir = realpathSync(mkdtempSync(join(tmpdir(), "pawl-sandbox-test-")));
after(() => rmSync(dir, { recursive: true, force: true }));

function put(path: string, mode = 0o644): string {
	const file = join(dir, path);
	mkdirSync(dirname(file), { recursive: true });
	writeFileSync(file, "");
	chmodSync(file, mode);
	return file;
}

function link(path: string, target: string): void {
	mkdirSync(dirname(join(dir, path)), { recursive: true });
	symlinkSync(target, join(dir, path));
}

describe("the places of a sandbox", () => {
	it("are put in parents first, a deeper one wins, and for one path the most that is asked for", () => {
		put("w/git/config");
		put("w/git/hooks/x");
		const at = (path: string) => join(dir, path);
		const { mounts } = arranged([
			read(at("w/git/config")),
			write(at("w/git/hooks")),
			read(at("w/git/hooks")),
			write(at("w")),
			{ path: at("w"), as: "empty" },
			read(at("missing")),
			write(at("w/git")),
		]);
		// The folder in between cannot be renamed, with what may not be written in it.
		assert.deepEqual(mounts, [write(at("w")), write(at("w/git")), read(at("w/git/config"))]);
	});

	it("are not where a link leads that lies in a folder which may be written", () => {
		put("led/tree/file");
		put("led/secret/key");
		link("led/tree/.pawl", "../secret");
		link("led/tree/cache", join(dir, "led", "secret"));
		link("led/way", join(dir, "led", "tree"));
		link("led/own", join(dir, "led", "secret"));
		const at = (path: string) => join(dir, "led", path);
		const asked = [write(at("tree")), read(at("tree/.pawl")), write(at("tree/cache")), read(at("way/cache/key")), read(at("own"))];
		const { mounts } = arranged(asked);
		assert.deepEqual(mounts, [read(at("secret")), write(at("tree"))]);
		assert.deepEqual(arranged(asked.slice(0, -1)).mounts, [write(at("tree"))]);
	});

	it("are at their real paths, with a link where somebody goes by another one", () => {
		put("real/folder/file");
		link("other", join(dir, "real"));
		const { mounts, made } = arranged([read(join(dir, "other", "folder"))]);
		assert.deepEqual(mounts, [read(join(dir, "real", "folder"))]);
		assert.deepEqual(made, [[join(dir, "other", "folder"), join(dir, "real", "folder")]]);
	});

	it("make no folder in a real one for a folder of the sandbox's own", () => {
		put("made/file");
		const { mounts } = arranged([write(join(dir, "made")), { path: join(dir, "made", "tmp"), as: "empty" }]);
		assert.deepEqual(mounts, [write(join(dir, "made"))]);
	});
});

describe("the programs that a sandbox shows", () => {
	const home = join(dir, "home");
	const seen = (path: string, words: readonly string[] = ["sh"]): string[] =>
		programPlaces(words, { PATH: path }, home)
			.map((place) => place.path)
			.filter((each) => each.startsWith(home))
			.map((each) => each.slice(home.length + 1));

	it("are not what links in a folder of PATH lead to if that folder may be written", () => {
		put("home/.ssh/id", 0o755);
		link("home/run/refusals/x", join(home, ".ssh"));
		link("home/run/agent", join(home, ".ssh", "id"));
		const words = [join(home, "run", "agent"), join(home, "run", "agent")];
		const places = programPlaces(words, { PATH: join(home, "run", "refusals") }, home, [join(home, "run")]);
		assert.deepEqual(
			places.filter(({ path }) => path.startsWith(home)),
			[],
		);
	});

	it("are those of PATH with what they are part of, and no credentials beside them", () => {
		put("home/.nvm/versions/node/v24/bin/node", 0o755);
		put("home/.cargo/bin/cargo", 0o755);
		put("home/.cargo/credentials.toml");
		put("home/.rustup/settings.toml");
		put("home/.fly/bin/fly", 0o755);
		put("home/.fly/config.yml");
		put("home/go/bin/tool", 0o755);
		const path = [".nvm/versions/node/v24/bin", ".cargo/bin", ".fly/bin", "go/bin"].map((each) => join(home, each)).join(":");
		assert.deepEqual(seen(path), [...[".nvm/versions/node/v24/bin", ".nvm", ".cargo/bin", ".rustup"], ...[".fly/bin", "go/bin", "go"]]);
	});

	it("include what a link in PATH leads to, never the home itself or a folder that holds it", () => {
		put("home/.npm-global/lib/node_modules/agent/cli.js", 0o755);
		link("home/.npm-global/bin/agent", "../lib/node_modules/agent/cli.js");
		put("home/.local/share/agent/versions/1", 0o755);
		link("home/.local/bin/other", join(home, ".local/share/agent/versions/1"));
		const path = [join(home, ".npm-global/bin"), join(home, ".local/bin"), home, dir].join(":");
		const found = seen(path);
		assert.ok(found.includes(".npm-global/lib/node_modules"));
		assert.ok(found.includes(".local/share/agent/versions/1"));
		assert.ok(!found.some((each) => ["", ".local", ".npm-global", ".local/share"].includes(each)), found.join(" "));
	});

	it("include files that a command line names, but no folders", () => {
		const script = put("home/agents/agent.mjs");
		assert.deepEqual(seen("", ["/usr/bin/env", script, join(home, "agents")]), ["agents/agent.mjs"]);
	});
});

describe("bwrap", () => {
	const sandbox = { type: "bwrap", network: false, places: [], journal: [], image: null, runtime: null } as const;

	it("shows /etc without what strangers cannot read, has a network only if it is told to, and refuses a command that is not there", () => {
		const args = bwrapArgs(sandbox, ["/bin/sh"], "/", { HOME: "/home/x" }, "/home/x");
		for (const file of system().hiddenFiles) assert.ok(args.join(" ").includes(`--ro-bind /dev/null ${file}`), file);
		assert.ok(args.includes("--unshare-net"));
		assert.ok(!bwrapArgs({ ...sandbox, network: true }, ["/bin/sh"], "/", {}, "/home/x").includes("--unshare-net"));
		const of = { sandbox, command: "none", found: null, args: [], cwd: "/", env: {}, mark: undefined };
		assert.match(String(sandboxed(of)), /command not found/);
	});

	it("is refused on macOS, with what there is instead", async () => {
		const settings = { type: "bwrap", network: "on", read: [], write: [], image: null, runtime: null } as const;
		assert.equal(await sandboxProblem(settings, "darwin"), "bwrap works on Linux only: use `sandbox: container`");
	});

	it("gives a network to agents and setup alone, if pawl.yml says `agents`", () => {
		const settings = { type: "bwrap", network: "agents", read: [], write: [], image: null, runtime: null } as const;
		assert.deepEqual(
			(["agent", "setup", "check"] as const).map((who) => hasNetwork(settings, who)),
			[true, true, false],
		);
		assert.equal(hasNetwork({ ...settings, network: "off" }, "agent"), false);
	});
});

describe("containers", () => {
	const sandbox = { type: "container", network: true, places: [], journal: [], image: "node:24", runtime: null } as const;
	const mounted = (home: string, ...places: Place[]): string[] => {
		const request = { runtime: "docker", image: "node:24", name: "n", mark: undefined, cwd: "/", env: { HOME: home }, user: "1:1" };
		const { args } = containerLine({ ...sandbox, places }, { command: "true", args: [] }, request);
		return args.filter((_, i) => ["--mount", "--tmpfs"].includes(args[i - 1] ?? "")).map((arg) => arg.replaceAll(dir, ""));
	};

	it("have a folder also where a link leads to it, with what may not be written in it", () => {
		put("private/w/git/config");
		link("var", join(dir, "private"));
		assert.deepEqual(mounted("", write(join(dir, "var/w")), read(join(dir, "var/w/git/config"))), [
			"type=bind,source=/private/w,target=/private/w",
			"type=bind,source=/private/w/git,target=/private/w/git",
			"type=bind,source=/private/w/git/config,target=/private/w/git/config,readonly",
			"type=bind,source=/private/w,target=/var/w",
			"type=bind,source=/private/w/git,target=/var/w/git",
			"type=bind,source=/private/w/git/config,target=/var/w/git/config,readonly",
		]);
	});

	it("have an empty home only if nobody gave them one", () => {
		put("base/home/.gitconfig");
		const [base, home] = [join(dir, "base"), join(dir, "base/home")];
		assert.deepEqual(mounted("/home/nobody"), ["/home/nobody:rw,exec,mode=1777"]);
		assert.deepEqual(mounted(home, write(base), write(home)), ["type=bind,source=/base,target=/base"]);
	});

	it("that a killed engine left are found by the mark and removed", async () => {
		const program = put("docker", 0o755);
		const list = `[ "$1" = rm ] && touch ${dir}/removed; [ "$1" = ps ] && echo --not-an-id && [ ! -e ${dir}/removed ] && echo 0123456789ab`;
		writeFileSync(program, `#!/bin/sh\necho "$*" >> ${dir}/asked\n${list}\nexit 0\n`);
		await sweepContainers(program, "run:US-001:step-001:1");
		const ps = "ps --all --quiet --filter label=pawl.mark=run:US-001:step-001:1";
		assert.deepEqual(readFileSync(join(dir, "asked"), "utf8").split("\n"), [ps, "rm --force 0123456789ab", ps, ""]);
	});

	it("that cannot be ended, or of which the runtime says nothing, are not taken for ended", async () => {
		const program = put("docker", 0o755);
		for (const [script, said] of [
			["echo no daemon >&2; exit 1", /docker does not say that the containers of m have ended: no daemon/],
			['[ "$1" = ps ] && echo 0123456789ab || echo stuck >&2', /have ended: stuck/],
		] as const) {
			writeFileSync(program, `#!/bin/sh\n${script}\n`);
			await assert.rejects(sweepContainers(program, "m"), said);
		}
	});
});
