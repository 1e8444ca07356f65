// Puts a command into a sandbox, and says whether this machine can make one. There is no way around it: a command whose sandbox cannot be made
// does not start.
import { randomBytes } from "node:crypto";
import { homedir } from "node:os";
import type { Sandbox, SandboxSettings } from "../core/sandbox/sandbox.ts";
import { bwrapArgs } from "./bwrap.ts";
import { answerOf, containerLine, containerName, removeContainer, runtimeAt, sweepContainers } from "./container.ts";
import { behindGate, type CommandLine, INIT, shellFor, tool } from "./isolation.ts";
import type { Environment } from "./places.ts";

export interface SandboxedLine extends CommandLine {
	/** It is a pid namespace: when its first process ends, all others do. */
	readonly isolated: boolean;
	/** The environment of the program that makes the sandbox, if that is not the command's. */
	readonly env?: Environment;
	/** Ends what is left of it. */
	readonly after?: () => Promise<void>;
}

export interface ToSandbox {
	readonly sandbox: Sandbox;
	/** As it was asked for, and where it was found on this machine; null if it was not. */
	readonly command: string;
	readonly found: string | null;
	readonly args: readonly string[];
	readonly cwd: string;
	readonly env: Environment;
	readonly mark: string | undefined;
}

/** The reason, if it is not possible. */
export function sandboxed(of: ToSandbox): SandboxedLine | string {
	return of.sandbox.type === "bwrap" ? inBwrap(of) : inContainer(of);
}

function inBwrap({ sandbox, command, found, args, cwd, env }: ToSandbox): SandboxedLine | string {
	if (found === null) return `command not found or not executable: ${command}`;
	const bwrap = tool("bwrap");
	const shell = shellFor(env);
	if (bwrap === null || shell === null) return `the sandbox cannot be made: ${bwrap === null ? "bwrap" : "sh"} is not in PATH`;
	const own = bwrapArgs(sandbox, [found, ...args], cwd, env, homedir());
	return { command: bwrap, args: [...own, "--", shell, "-c", INIT, "sh", found, ...args], isolated: true };
}

/** What the program that starts containers needs of pawl's own environment. */
const CLIENT = /^(?:PATH|HOME|XDG_RUNTIME_DIR|DOCKER_.*|CONTAINER_.*|CONTAINERS_.*)$/;

function inContainer({ sandbox, command, args, cwd, env, mark }: ToSandbox): SandboxedLine | string {
	const runtime = runtimeAt(sandbox.runtime);
	if (runtime === null || sandbox.image === null) return `the sandbox cannot be made: ${runtime === null ? NO_RUNTIME : NO_IMAGE}`;
	const name = containerName(mark, randomBytes(6).toString("hex"));
	const user = `${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}`;
	const line = containerLine(sandbox, { command, args }, { runtime, image: sandbox.image, name, mark, cwd, env, user });
	const own = Object.entries(process.env).flatMap(([key, value]) =>
		value !== undefined && CLIENT.test(key) ? [[key, value] as const] : [],
	);
	const client = { ...env, ...Object.fromEntries(own) };
	const waiting = behindGate(line, client);
	if (waiting === null) return "the sandbox cannot be made: there is no sh";
	return { ...waiting, env: client, isolated: false, after: () => removeContainer(runtime, name) };
}

const NO_RUNTIME = "neither docker nor podman is in PATH: install one, or use `sandbox: bwrap`";
const NO_IMAGE = "it needs an `image`: sandbox: {type: container, image: NAME}";
const INSTALL =
	"install bubblewrap (Debian, Ubuntu: apt-get install bubblewrap; Fedora: dnf install bubblewrap; Arch: pacman -S bubblewrap)";
const NAMESPACES =
	"this user may not make namespaces here: allow it (sysctl kernel.unprivileged_userns_clone=1, on Ubuntu kernel.apparmor_restrict_unprivileged_userns=0, in a container --privileged or a seccomp profile that allows it)";

const TRIAL: Sandbox = { type: "bwrap", network: true, places: [], journal: [], image: null, runtime: null };
const PASSED = 7;

/** Why such a sandbox does not work on this machine, found out by trying, with what to do about it; null if it works. */
export async function sandboxProblem(
	{ type, network, image, runtime }: SandboxSettings,
	platform: NodeJS.Platform = process.platform,
): Promise<string | null> {
	if (type === "container") return containerProblem(image, runtime);
	if (platform !== "linux") return "bwrap works on Linux only: use `sandbox: container`";
	const [bwrap, shell] = [tool("bwrap"), tool("sh")];
	if (bwrap === null) return `bwrap is not in PATH: ${INSTALL}`;
	if (shell === null) return "sh is not in PATH";
	const env = { PATH: process.env["PATH"] ?? "" };
	const args = bwrapArgs({ ...TRIAL, network: network === "on" }, [shell], "/", env, homedir());
	const { code, err } = await answerOf(bwrap, [...args, "--", shell, "-c", `exit ${PASSED}`]);
	if (code === PASSED) return null;
	const said = err.trim().split("\n")[0] ?? "";
	const what = /namespace|permi|not permitted|uid map/i.test(said) ? `: ${NAMESPACES}` : "";
	return `bwrap does not work here (${said === "" ? `exit code ${code}` : said})${what}`;
}

async function containerProblem(image: string | null, runtime: SandboxSettings["runtime"]): Promise<string | null> {
	const program = runtimeAt(runtime);
	if (program === null) return runtime === null ? NO_RUNTIME : `${runtime} is not in PATH`;
	if (image === null) return NO_IMAGE;
	const info = await answerOf(program, ["version"]);
	if (info.code !== 0) return `${program} does not work here (${firstLine(info.err) || `exit code ${info.code}`})`;
	const there = await answerOf(program, ["image", "inspect", image]);
	return there.code === 0 ? null : `there is no image ${image} here: ${program} pull ${image}, or build it`;
}

const firstLine = (text: string): string => text.trim().split("\n").at(-1) ?? "";

/** Ends the containers that carry a mark. */
export async function sweepSandbox({ type, runtime }: Pick<SandboxSettings, "type" | "runtime">, mark: string): Promise<void> {
	const program = type === "container" ? runtimeAt(runtime) : null;
	if (program !== null) await sweepContainers(program, mark);
}
