// Which tests show a guarantee with real workers, real git and PostgreSQL. Where there is none, what holds it is the same code with the same git on a worker as in
// `pawl run`: the bad day of the other drivers shows it there, and the row `shared` of the table that the engine of a worker comes by it.

interface Real {
	readonly files: readonly string[];
	/** Why there is no test of machines. */
	readonly reason?: string;
}

const by = (...files: readonly [string, ...string[]]): Real => ({ files });
const because = (reason: string): Real => ({ files: [], reason });

const ATTEMPT = because("one attempt is the same on a worker as in `pawl run`");
const CORE = because("the core decides it, whoever carries it out");
const BASE = "src/workspace/remote/remote-base.test.ts";
const WORKERS = "test/machines/workers.long.test.ts";

export const REAL_MACHINES: Readonly<Record<string, Real>> = {
	"G-01": by(BASE),
	"G-02": because("base is tried where the run is started, before the database has it"),
	"G-03": by(BASE),
	"G-04": by("test/machines/travel.long.test.ts"),
	"G-05": by(WORKERS),
	"G-06": by("test/machines/anywhere.long.test.ts"),
	"G-07": by("src/store/postgres/store.test.ts"),
	"G-08": ATTEMPT,
	"G-09": ATTEMPT,
	"G-10": ATTEMPT,
	"G-11": because("a worker makes worktrees ready as `pawl run` does; it reads `pawl.yml` when it starts"),
	"G-12": because("a merge into a shared base looks for markers in the same place"),
	"G-13": CORE,
	"G-14": CORE,
	"G-15": ATTEMPT,
	"G-16": CORE,
	"G-17": CORE,
	"G-18": CORE,
	"G-19": because("no workflow that plans anew can be shared"),
	"G-20": because("the list is read where the person is"),
	"G-21": CORE,
	"G-22": ATTEMPT,
	"G-23": by(BASE),
	"G-24": by(WORKERS),
	"G-25": CORE,
	"G-26": by("src/workspace/remote/remote.test.ts"),
	"G-27": by("src/store/postgres/roles.test.ts"),
	"G-28": because("a server looks after its own files; one that is away is waited for: src/store/postgres/faults.test.ts"),
	"G-29": by("src/engine/travel/files.test.ts"),
	"G-30": by("src/engine/travel/logs.test.ts"),
};
