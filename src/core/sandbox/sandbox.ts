// A sandbox: what a process of a run may see of the machine. What a person wants, as `pawl.yml` and the journal have it, and what one
// process gets.

export const SANDBOX_TYPES = ["bwrap", "container"] as const;
export type SandboxType = (typeof SANDBOX_TYPES)[number];

/** As a run was started with it. */
export interface SandboxSettings {
	readonly type: SandboxType;
	/** `agents`: agents and setup have a network; checks and `notify.command` have none. */
	readonly network: "on" | "off" | "agents";
	/** More files and folders that may be read, or written: absolute, from `~`, or relative to the root of the repository. */
	readonly read: readonly string[];
	readonly write: readonly string[];
	/** Of a container. */
	readonly image: string | null;
	/** The program that starts containers; null: the first that is there. */
	readonly runtime: "docker" | "podman" | null;
}

/** A file or folder inside the sandbox. What is said about one deeper in the tree wins. */
export interface Place {
	/** Absolute. One that does not exist is left out. */
	readonly path: string;
	/** `empty`: a folder of the sandbox's own, which is gone when it ends. */
	readonly as: "read" | "write" | "empty";
}

/** The sandbox of one process. Where its programs are is added when it starts. */
export interface Sandbox extends Pick<SandboxSettings, "type" | "image" | "runtime"> {
	readonly network: boolean;
	readonly places: readonly Place[];
	/** What `pawl mcp` reads, for an agent that is given it. */
	readonly journal: readonly Place[];
}

export type Confined = "agent" | "check" | "setup" | "notify";

export const hasNetwork = ({ network }: SandboxSettings, who: Confined): boolean =>
	network === "on" || (network === "agents" && (who === "agent" || who === "setup"));

export const read = (path: string): Place => ({ path, as: "read" });
export const write = (path: string): Place => ({ path, as: "write" });

export const withPlaces = (sandbox: Sandbox, more: readonly Place[]): Sandbox => ({ ...sandbox, places: [...sandbox.places, ...more] });
