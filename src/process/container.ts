// A sandbox made by docker or podman: an image that the user chose, with the folders of the run in it at their own paths. Programs are the image's.
// Nothing ends a container with the process that started it, so each has a name and a label to end it by.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import type { Place, Sandbox } from "../core/sandbox/sandbox.ts";
import { arranged } from "./bwrap.ts";
import { findExecutable } from "./command-line.ts";
import type { CommandLine } from "./isolation.ts";
import { type Environment, isBelow } from "./places.ts";
import { ProcessesUnknown } from "./sweep.ts";

export const RUNTIMES = ["docker", "podman"] as const;
const MARK_LABEL = "pawl.mark";
/** Where programs of most images are, after the folders that PATH names. */
const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
const ANSWER_MS = 20_000;
/** One that is being removed may be listed once more. */
const SWEEPS = 3;

/** The program of a runtime, by pawl's own PATH; null if there is none. */
export function runtimeAt(wanted: Sandbox["runtime"], path: string = process.env["PATH"] ?? ""): string | null {
	for (const name of wanted === null ? RUNTIMES : [wanted]) {
		const found = findExecutable(name, "/", path);
		if (found !== null) return found;
	}
	return null;
}

export interface ContainerRequest {
	readonly runtime: string;
	readonly image: string;
	readonly name: string;
	readonly mark: string | undefined;
	readonly cwd: string;
	readonly env: Environment;
	readonly user: string;
}

/** Variables whose values may differ for the container and for the program that starts it; none of them is a secret. All others go by name, because
 * everybody can read arguments. */
const BY_VALUE = ["PATH", "HOME", "TMPDIR"];

export function containerLine(sandbox: Sandbox, inner: CommandLine, of: ContainerRequest): CommandLine {
	const home = of.env["HOME"] ?? "";
	const own: Place[] = home.startsWith("/") ? [{ path: home, as: "empty" }] : [];
	const { mounts, made } = arranged([...own, ...sandbox.places]);
	const all = [...mounts.map((one) => ({ ...one, source: one.path })), ...made.flatMap(([path, target]) => under(path, target, mounts))];
	const names = Object.keys(of.env).filter((name) => !BY_VALUE.includes(name));
	const mount = ({ source, path, as }: Mount): string => `type=bind,source=${source},target=${path}${as === "read" ? ",readonly" : ""}`;
	return {
		command: of.runtime,
		args: [
			...["run", "--rm", "--interactive", "--init", "--name", of.name],
			...(of.mark === undefined ? [] : ["--label", `${MARK_LABEL}=${of.mark}`]),
			...(sandbox.network ? [] : ["--network", "none"]),
			...["--cap-drop", "ALL", "--security-opt", "no-new-privileges"],
			...(of.runtime.endsWith("podman") ? ["--userns", "keep-id"] : ["--user", of.user]),
			...all.flatMap((one) => (one.as === "empty" ? ["--tmpfs", `${one.path}:rw,exec,mode=1777`] : ["--mount", mount(one)])),
			...BY_VALUE.flatMap((name) => {
				const value = of.env[name];
				return value === undefined || name === "TMPDIR" ? [] : ["--env", `${name}=${name === "PATH" ? `${value}:${PATH}` : value}`];
			}),
			...names.flatMap((name) => ["--env", name]),
			...["--workdir", of.cwd, "--entrypoint", "", of.image, inner.command, ...inner.args],
		],
	};
}

interface Mount extends Place {
	readonly source: string;
}

/** What is at `target`, for who goes there by a link of the machine, which no option makes in a container. What is mounted in it comes along: it may be
 * what nobody may write. */
function under(link: string, target: string, mounts: readonly Place[]): Mount[] {
	const whole = mounts.findLast(({ path }) => isBelow(target, path));
	const parts = mounts.filter(({ path }) => path !== target && isBelow(path, target));
	return [...(whole === undefined ? [] : [{ path: target, as: whole.as }]), ...parts].map(({ path, as }) => ({
		...{ source: path, as },
		path: link + path.slice(target.length),
	}));
}

/** The same for every process of a mark would not do: checks run one after the other, and one that is being removed still has its name. */
export const containerName = (mark: string | undefined, random: string): string =>
	`pawl-${createHash("sha256")
		.update(mark ?? "")
		.digest("hex")
		.slice(0, 12)}-${random}`;

/** Never rejects. One that has ended is gone already. */
export const removeContainer = async (runtime: string, name: string): Promise<void> => {
	await answerOf(runtime, ["rm", "--force", name]);
};

/** Ends what an engine that was killed left running. Throws if nobody says that it has ended: a copy would work beside it. */
export async function sweepContainers(runtime: string, mark: string): Promise<void> {
	let said = "";
	for (let n = 0; n < SWEEPS; n++) {
		const { code, out, err } = await answerOf(runtime, ["ps", "--all", "--quiet", "--filter", `label=${MARK_LABEL}=${mark}`]);
		const ids = out.split("\n").filter((id) => /^[0-9a-f]{6,64}$/.test(id));
		if (code === 0 && ids.length === 0) return;
		said = code === 0 ? (await answerOf(runtime, ["rm", "--force", ...ids])).err : err;
	}
	throw new ProcessesUnknown(`${runtime} does not say that the containers of ${mark} have ended: ${said.trim() || "no answer"}`);
}

export function answerOf(
	command: string,
	args: readonly string[],
): Promise<{ readonly code: number | null; readonly out: string; readonly err: string }> {
	return new Promise((done) => {
		const child = execFile(command, [...args], { timeout: ANSWER_MS, killSignal: "SIGKILL" }, (error, out, err) =>
			done({ code: error === null ? 0 : typeof error.code === "number" ? error.code : null, out, err }),
		);
		child.stdin?.end();
	});
}
