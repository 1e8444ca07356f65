// What a disk holds after a loss of power, from the calls that were made before it. The rules are those of file systems with an ordered journal
// (ext4, XFS): names change in the order of the calls, and any sync brings all earlier changes of names to the disk; what was written
// into a file is there for certain only after a sync of that file; everything else may be there or not, in any combination. Where they differ:
// ext4 (and btrfs) write a file out before it replaces another one by a rename, XFS does not.
import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { pointOf } from "./role.ts";
import type { Call } from "./tracer.ts";

type Id = number;

/** Changes by ids, so that a replay that leaves some out still knows which file is meant. */
type Change =
	| { readonly kind: "put"; readonly folder: Id; readonly name: string; readonly id: Id; readonly made?: Made }
	| { readonly kind: "drop"; readonly folder: Id; readonly name: string }
	| { readonly kind: "move"; readonly from: readonly [Id, string]; readonly to: readonly [Id, string]; readonly replacing: Id | null }
	| { readonly kind: "mode"; readonly id: Id; readonly mode: number }
	| { readonly kind: "size"; readonly id: Id; readonly size: number }
	| { readonly kind: "write"; readonly id: Id; readonly offset: number; readonly data: Buffer }
	/** `before`: the changes that had been made when it was called. */
	| { readonly kind: "sync"; readonly id: Id; readonly before: number; readonly what: string; readonly point: string }
	| { readonly kind: "writeout"; readonly id: Id; readonly before: number };

interface Made {
	readonly type: "file" | "folder" | "link";
	readonly mode: number;
	readonly target?: string;
}

interface Node {
	readonly id: Id;
	readonly type: Made["type"];
	mode: number;
	target: string;
	data: Buffer;
	readonly names: Map<string, Node>;
}

const node = (id: Id, { type, mode, target = "" }: Made): Node => ({ id, type, mode, target, data: Buffer.alloc(0), names: new Map() });

/** Loses: everything that is not certain. Keeps: everything. Else by chance, each write for itself; torn: also half of the last one. */
export type Loss = "loses" | "keeps" | "mixed" | "torn";
export const LOSSES: readonly Loss[] = ["loses", "mixed", "torn", "keeps"];
export type FileSystem = "ext4" | "xfs";

const O_TRUNC = 0o1000;
const O_CREAT = 0o100;

/** The folder as it is now is on the disk. */
export class Disk {
	private readonly root: string;
	private readonly first: Node;
	private readonly live: Node;
	private readonly changes: Change[] = [];
	private readonly entered = new Map<Call, number>();
	private ids = 0;

	constructor(root: string) {
		this.root = root;
		this.first = this.load(root);
		this.live = copyOf(this.first);
	}

	/** The positions behind each sync. */
	barriers(): { readonly at: number; readonly what: string; readonly point: string }[] {
		return this.changes.flatMap((change, at) => {
			if (change.kind !== "sync") return [];
			const { what, point } = change;
			return [{ at: at + 1, what, point }];
		});
	}

	get length(): number {
		return this.changes.length;
	}

	/** To be told before the call is made. */
	enter(call: Call): void {
		this.entered.set(call, this.changes.length);
	}

	/** To be told what it returned. */
	returned(call: Call, result: number): void {
		const before = this.entered.get(call) ?? this.changes.length;
		this.entered.delete(call);
		if (result < 0) return;
		for (const change of this.changesOf(call, result, before)) {
			this.changes.push(change);
			carryOut(this.live, change);
		}
	}

	private changesOf(call: Call, result: number, before: number): Change[] {
		const { name, path, to, offset, flags, mode, data } = call;
		const place = this.place(path);
		const there = place === null ? null : (place[0].names.get(place[1]) ?? null);
		const file = place !== null && place[1] === "" ? place[0] : there;
		switch (name) {
			case "write":
			case "pwrite":
			case "writev":
			case "pwritev":
			case "copy":
				return file === null ? [] : [{ kind: "write", id: file.id, offset, data: data.subarray(0, result) }];
			case "fsync":
			case "fdatasync":
				return file === null ? [] : [this.sync(call, file, before)];
			case "writeout":
				return file === null ? [] : [{ kind: "writeout", id: file.id, before }];
			case "ftruncate":
			case "truncate":
				return file === null ? [] : [{ kind: "size", id: file.id, size: offset }];
			case "fallocate":
				return file === null || file.data.length >= offset ? [] : [{ kind: "size", id: file.id, size: offset }];
			case "chmod":
			case "fchmod":
				return file === null ? [] : [{ kind: "mode", id: file.id, mode: flags & 0o7777 }];
			case "open":
				if (place === null) return [];
				if (there === null) return flags & O_CREAT ? [this.put(place, { type: "file", mode: mode & ~0o022 })] : [];
				return flags & O_TRUNC && there.type === "file" ? [{ kind: "size", id: there.id, size: 0 }] : [];
			case "mkdir":
				return place === null ? [] : [this.put(place, { type: "folder", mode: flags & 0o7777 & ~0o022 })];
			case "symlink":
				return place === null ? [] : [this.put(place, { type: "link", mode: 0o777, target: to })];
			case "unlink":
			case "rmdir":
				return place === null ? [] : [{ kind: "drop", folder: place[0].id, name: place[1] }];
			case "link": {
				const target = this.place(to);
				return target === null || there === null ? [] : [{ kind: "put", folder: target[0].id, name: target[1], id: there.id }];
			}
			case "rename": {
				const target = this.place(to);
				if (place === null && target === null) return [];
				if (place === null || target === null) throw new Error(`a rename into or out of the folder: ${path} ${to}`);
				const replacing = target[0].names.has(target[1]) ? (there?.id ?? null) : null;
				return [{ kind: "move", from: [place[0].id, place[1]], to: [target[0].id, target[1]], replacing }];
			}
			default:
				throw new Error(`a call that the disk does not know: ${name}`);
		}
	}

	private sync(call: Call, { id }: Node, before: number): Change {
		const what = `${call.program}: ${call.name} ${relative(this.root, call.path)}`;
		return { kind: "sync", id, before, what, point: pointOf(this.root, call) ?? what };
	}

	private put([folder, name]: readonly [Node, string], made: Made): Change {
		return { kind: "put", folder: folder.id, name, id: ++this.ids, made };
	}

	/** The folder that it is in and its name; null outside, or for a file that has no name any more. */
	private place(path: string, depth = 0): readonly [Node, string] | null {
		const inside = relative(this.root, path);
		if (inside.startsWith("..") || depth > 8) return null;
		const parts = inside === "" ? [] : inside.split("/");
		let folder = this.live;
		for (const [i, part] of parts.slice(0, -1).entries()) {
			const next = folder.names.get(part);
			if (next?.type === "link") {
				const at = join(this.root, ...parts.slice(0, i));
				const target = next.target.startsWith("/") ? next.target : join(at, next.target);
				return this.place(join(target, ...parts.slice(i + 1)), depth + 1);
			}
			if (next?.type !== "folder") return null;
			folder = next;
		}
		return [folder, parts.at(-1) ?? ""];
	}

	private load(path: string): Node {
		const stat = lstatSync(path);
		const type = stat.isDirectory() ? "folder" : stat.isSymbolicLink() ? "link" : "file";
		const made = node(++this.ids, { type, mode: stat.mode & 0o7777, target: type === "link" ? readlinkSync(path) : "" });
		if (type === "file") made.data = readFileSync(path);
		if (type === "folder") for (const name of readdirSync(path)) made.names.set(name, this.load(join(path, name)));
		return made;
	}

	/** What is left when the power goes after this many changes. */
	after(at: number, fileSystem: FileSystem, loss: Loss, happens: (share: number) => boolean): Node {
		const made = this.changes.slice(0, at);
		const certain = new Set<number>();
		let named = 0;
		const syncs = made.flatMap((change) => (change.kind === "sync" ? [change] : []));
		for (const { before } of syncs) named = Math.max(named, before);
		const synced = (id: Id, index: number): boolean =>
			syncs.some((sync) => sync.id === id && index < sync.before) ||
			made.some((out, i) => out.kind === "writeout" && out.id === id && index < out.before && syncs.some((sync) => sync.before > i));
		for (const [index, change] of made.entries()) if (change.kind === "write" && synced(change.id, index)) certain.add(index);
		// Names: all up to the last sync, then any number of those that follow.
		const open = made.length - named;
		const names = loss === "keeps" ? made.length : loss === "loses" ? named : named + [...Array(open)].filter(() => happens(0.5)).length;
		if (fileSystem === "ext4")
			for (const [at, move] of made.slice(0, names).entries())
				if (move.kind === "move" && move.replacing !== null)
					for (const [i, change] of made.slice(0, at).entries())
						if (change.kind === "write" && change.id === move.replacing) certain.add(i);
		const last = made.findLastIndex((change, index) => change.kind === "write" && !certain.has(index));
		const root = copyOf(this.first);
		for (const [index, change] of made.entries()) {
			if (change.kind === "sync" || change.kind === "writeout") continue;
			if (change.kind !== "write") {
				if (index < names) carryOut(root, change);
			} else if (certain.has(index) || loss === "keeps" || (loss !== "loses" && happens(0.5))) carryOut(root, change);
			else if (loss === "torn" && index === last)
				carryOut(root, { ...change, data: change.data.subarray(0, Math.ceil(change.data.length / 2)) });
		}
		return root;
	}

	/** In place of what is in the folder. */
	layOut(root: Node): void {
		for (const name of readdirSync(this.root))
			rmSync(join(this.root, name), { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
		for (const [name, child] of root.names) lay(join(this.root, name), child);
	}
}

function lay(path: string, { type, mode, target, data, names }: Node): void {
	if (type === "link") return symlinkSync(target, path);
	if (type === "file") {
		// It is shared memory: after a loss of power nobody has it mapped.
		if (path.endsWith(".db-shm")) return;
		writeFileSync(path, data);
	} else {
		mkdirSync(path);
		for (const [name, child] of names) lay(join(path, name), child);
	}
	chmodSync(path, mode | (type === "folder" ? 0o700 : 0o600));
}

/** Does nothing about a file that is not there in this replay. */
function carryOut(root: Node, change: Change): void {
	const all = indexOf(root);
	switch (change.kind) {
		case "put": {
			const made = all.get(change.id) ?? (change.made === undefined ? undefined : node(change.id, change.made));
			if (made === undefined) return;
			all.set(made.id, made);
			all.get(change.folder)?.names.set(change.name, made);
			return;
		}
		case "drop":
			all.get(change.folder)?.names.delete(change.name);
			return;
		case "move": {
			const from = all.get(change.from[0]);
			const moved = from?.names.get(change.from[1]);
			if (moved === undefined) return;
			from?.names.delete(change.from[1]);
			all.get(change.to[0])?.names.set(change.to[1], moved);
			return;
		}
		case "mode": {
			const found = all.get(change.id);
			if (found) found.mode = change.mode;
			return;
		}
		case "size": {
			const found = all.get(change.id);
			if (found) found.data = sized(found.data, change.size);
			return;
		}
		case "write": {
			const found = all.get(change.id);
			if (!found) return;
			const { offset, data } = change;
			if (found.data.length < offset + data.length) found.data = sized(found.data, offset + data.length);
			else found.data = Buffer.from(found.data);
			data.copy(found.data, offset);
		}
	}
}

function sized(data: Buffer, size: number): Buffer {
	const made = Buffer.alloc(size);
	data.copy(made, 0, 0, Math.min(size, data.length));
	return made;
}

const indexes = new WeakMap<Node, Map<Id, Node>>();

/** All nodes of a tree by their ids, with those that have no name any more. */
function indexOf(root: Node): Map<Id, Node> {
	const known = indexes.get(root);
	if (known !== undefined) return known;
	const all = new Map<Id, Node>();
	const walk = (one: Node): void => {
		all.set(one.id, one);
		for (const child of one.names.values()) walk(child);
	};
	walk(root);
	indexes.set(root, all);
	return all;
}

function copyOf(root: Node): Node {
	const seen = new Map<Node, Node>();
	const copy = (one: Node): Node => {
		const known = seen.get(one);
		if (known) return known;
		const made: Node = { ...one, names: new Map() };
		seen.set(one, made);
		for (const [name, child] of one.names) made.names.set(name, copy(child));
		return made;
	};
	return copy(root);
}
