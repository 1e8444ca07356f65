// What travels between machines beside journals, compressed. Logs are pieces: whoever holds a lane adds them, and everybody can read them while they come
// in. Files are written in the commit that they belong to, so they count exactly if it does.
import { promisify } from "node:util";
import { gunzipSync, gzip } from "node:zlib";
import type { FileChange, Travelling } from "../../store.ts";
import type { Session } from "./connect.ts";
import { plain } from "./rows.ts";

const compressed = promisify(gzip);
/** A piece is at most a megabyte. */
const PIECES_AT_ONCE = 8;

// Whoever takes the lane over waits for this, so it sees where the log ends. Whoever lost it adds nothing.
const ADD = `
	WITH lane AS MATERIALIZED (
		SELECT 1 FROM pawl.lanes WHERE run_id = $1 AND scope = $8 AND epoch = $9 FOR SHARE
	), added AS (
		INSERT INTO pawl.log_pieces (run_id, scope, step, attempt, n, data, size, position)
		SELECT $1, $2, $3, $4, $5, $6, $7, coalesce(
			(SELECT max(position + size) FROM pawl.log_pieces WHERE run_id = $1 AND scope = $2 AND step = $3), 0)
		FROM lane
		ON CONFLICT (run_id, scope, step, attempt, n) DO NOTHING
	)
	SELECT count(*)::integer AS held FROM lane`;
const LOGS = `
	SELECT scope, step, max(position + size) AS size FROM pawl.log_pieces
	WHERE run_id = $1 AND ($2::text IS NULL OR scope = $2) GROUP BY scope, step ORDER BY scope, step`;
const READ = `
	SELECT position, data FROM pawl.log_pieces
	WHERE run_id = $1 AND scope = $2 AND step = $3 AND position + size > $4 ORDER BY position LIMIT ${PIECES_AT_ONCE}`;
const FILES = `
	SELECT path, lane, version, content, gone FROM pawl.files
	WHERE run_id = $1 AND version > $2 AND ($3::text IS NULL OR lane = $3) ORDER BY version, path`;
type FileRow = { path: string; lane: string; version: number; content: Buffer; gone: boolean };

// Compressed parts, one after the other, are read as one.
const WRITE = `
	INSERT INTO pawl.files AS file (run_id, path, lane, content, gone, version)
	VALUES ($1, $2, $3, $4, $5, (SELECT changes FROM pawl.runs WHERE id = $1)::integer)
	ON CONFLICT (run_id, path) DO UPDATE SET lane = excluded.lane, gone = excluded.gone, version = excluded.version,
		content = CASE WHEN $6 AND NOT file.gone THEN file.content || excluded.content ELSE excluded.content END`;

/** In the transaction of a commit, which holds the run. */
export async function writeFiles(session: Session, run: string, files: readonly FileChange[]): Promise<void> {
	for (const { path, lane, bytes, append = false } of files) {
		const content = bytes === null ? Buffer.alloc(0) : await compressed(bytes);
		await session.query(WRITE, [plain(run), plain(path), plain(lane), content, bytes === null, append]);
	}
}

export function travelling(rows: <Row>(sql: string, ...values: readonly unknown[]) => Promise<Row[]>): Travelling {
	return {
		addLog: async (run, { scope, step, attempt, n, bytes }, lease) => {
			const of = [plain(run), plain(scope), plain(step), attempt, n];
			const data = await compressed(bytes);
			const [row] = await rows<{ held: number }>(ADD, ...of, data, bytes.length, plain(lease.scope), lease.epoch);
			return row?.held === 1;
		},
		logs: async (run, scope) => {
			const found = await rows<{ scope: string; step: string; size: string }>(LOGS, plain(run), scope === undefined ? null : plain(scope));
			return found.map((row) => ({ ...row, size: Number(row.size) }));
		},
		readLog: async (run, scope, step, from) => {
			const pieces = await rows<{ position: string; data: Buffer }>(READ, plain(run), plain(scope), plain(step), from);
			const all = Buffer.concat(pieces.map(({ data }) => gunzipSync(data)));
			return all.subarray(Math.max(0, from - Number(pieces[0]?.position ?? 0)));
		},
		files: async (run, after = 0, lane) =>
			(await rows<FileRow>(FILES, plain(run), after, lane === undefined ? null : plain(lane))).map(({ content, gone, ...row }) => ({
				...row,
				bytes: gone ? null : gunzipSync(content),
			})),
	};
}
