// The stat of a path, as far as it tells whether something was changed.
import { type BigIntStats, lstatSync, type PathLike } from "node:fs";

export type Stat = Pick<BigIntStats, "dev" | "ino" | "mode" | "size" | "mtimeNs" | "ctimeNs">;

/** Nothing is there. */
export const ABSENT: Stat = { dev: 0n, ino: 0n, mode: 0n, size: 0n, mtimeNs: 0n, ctimeNs: 0n };

/** null if it cannot be looked at. */
export function statOf(path: PathLike): Stat | null {
	try {
		const found = lstatSync(path, { bigint: true, throwIfNoEntry: false });
		if (found === undefined) return ABSENT;
		// Not all of it: this is kept for each file.
		const { dev, ino, mode, size, mtimeNs, ctimeNs } = found;
		return { dev, ino, mode, size, mtimeNs, ctimeNs };
	} catch {
		return null;
	}
}

export const isSame = (a: Stat | null, b: Stat | null): boolean =>
	a !== null &&
	b !== null &&
	a.ctimeNs === b.ctimeNs &&
	a.mtimeNs === b.mtimeNs &&
	a.size === b.size &&
	a.mode === b.mode &&
	a.ino === b.ino &&
	a.dev === b.dev;
