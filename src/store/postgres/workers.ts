// The list of workers. Each renews its own entry; the database's clock says which were not seen for longer than their lease.
import type { ListedWorker, WorkerCard, Workers } from "../../store.ts";
import type { Database } from "./connect.ts";
import { plain } from "./rows.ts";

/** For how long a worker that died is shown as gone. */
const KEPT = "1 day";
/** A worker that cannot remove its entry is listed as gone for a while: not worth a longer wait. */
const REMOVE_MS = 5_000;

const RENEW = `
	WITH tidied AS (DELETE FROM pawl.workers WHERE seen < clock_timestamp() - interval '${KEPT}' AND id <> $1)
	INSERT INTO pawl.workers AS known (id, host, version, labels, lanes, repo, lease_ms, draining, started, seen)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, clock_timestamp(), clock_timestamp())
	ON CONFLICT (id) DO UPDATE SET seen = clock_timestamp(), draining = known.draining OR excluded.draining
	RETURNING draining`;
const LIST = `
	SELECT w.*, extract(epoch FROM w.started) * 1000 AS started, extract(epoch FROM w.seen) * 1000 AS seen,
		w.seen + w.lease_ms * interval '1 millisecond' < clock_timestamp() AS gone,
		(SELECT coalesce(json_agg(json_build_object('run', run_id, 'scope', scope, 'since', extract(epoch FROM since) * 1000) ORDER BY since), '[]')
			FROM pawl.lanes WHERE worker = w.id AND until > clock_timestamp()) AS works
	FROM pawl.workers w ORDER BY w.started, w.id`;

type WorkerRow = Omit<ListedWorker, "leaseMs" | "started" | "seen"> & { lease_ms: string; started: string; seen: string };

/** `answer` names the database in errors. */
export function workersIn(database: Database, answer: <T>(work: () => Promise<T>) => Promise<T>): Workers {
	return {
		enter: (card) => answer(async () => void (await database.query(RENEW, valuesOf(card)))),
		renew: (card) => answer(async () => (await database.once<{ draining: boolean }>(RENEW, valuesOf(card)))[0]?.draining === true),
		remove: async (id) => {
			await database.query("DELETE FROM pawl.workers WHERE id = $1", [plain(id)], REMOVE_MS).catch(() => []);
		},
		list: () => answer(async () => (await database.query<WorkerRow>(LIST)).map(listed)),
		drain: (id) =>
			answer(async () => {
				const sql = "UPDATE pawl.workers SET draining = true WHERE id = $1 RETURNING id";
				return (await database.query(sql, [plain(id)])).length > 0;
			}),
	};
}

const valuesOf = ({ id, host, version, labels, lanes, repo, leaseMs, draining }: WorkerCard): readonly unknown[] => [
	...[plain(id), plain(host), version, labels.map(plain), lanes, plain(repo), leaseMs, draining],
];

const listed = ({ id, host, version, labels, lanes, repo, draining, gone, works, lease_ms, started, seen }: WorkerRow): ListedWorker => ({
	...{ id, host, version, labels, lanes, repo, draining, gone, works },
	leaseMs: Number(lease_ms),
	started: Number(started),
	seen: Number(seen),
});
