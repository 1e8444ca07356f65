// The schema in PostgreSQL, as the list of steps that made it. Steps are only ever added at the end, and only add: while machines are updated
// one after the other, an older pawl goes on working with a newer schema. A step that it could not live with says so (`breaks`).
import { NewerPawl } from "../../store.ts";
import type { Database } from "./connect.ts";
import { GRANTS, WORKER } from "./roles.ts";

export interface Migration {
	readonly sql: string;
	/** Programs that do not know this step must not use the schema any more. */
	readonly breaks?: true;
}

// `runs`, `steps` and `stories` have the columns that document 002 names, with text for times, as in SQLite. What only the database's clock decides
// about is a timestamp. Text of PostgreSQL holds no NUL: what may have one is JSON (`data`, `effect`, `input`, …).
export const MIGRATIONS: readonly Migration[] = [
	{
		sql: `
	CREATE TABLE pawl.runs (
		id text PRIMARY KEY,
		workflow_id text NOT NULL DEFAULT '',
		task text NOT NULL DEFAULT '',
		status text NOT NULL DEFAULT 'running',
		created_at text NOT NULL DEFAULT '',
		updated_at text NOT NULL DEFAULT '',
		title text,
		overview text,
		input text,
		version integer NOT NULL DEFAULT 0,
		changes bigint NOT NULL DEFAULT 0,
		wake_at timestamptz,
		number bigint GENERATED ALWAYS AS IDENTITY
	);
	COMMENT ON COLUMN pawl.runs.title IS 'as JSON, where task cannot hold it';
	COMMENT ON COLUMN pawl.runs.changes IS 'raised with every commit and every input, for whoever polls';
	CREATE INDEX runs_by_time ON pawl.runs (created_at, number);
	CREATE INDEX runs_open ON pawl.runs (created_at, number) WHERE status NOT IN ('completed', 'failed', 'cancelled', 'refused');
	CREATE INDEX runs_due ON pawl.runs (wake_at) WHERE wake_at IS NOT NULL;
	CREATE TABLE pawl.events (
		run_id text NOT NULL,
		version integer NOT NULL,
		at text NOT NULL,
		event text NOT NULL,
		data text NOT NULL,
		commit_id text NOT NULL,
		PRIMARY KEY (run_id, version)
	);
	CREATE TABLE pawl.commits (
		id text PRIMARY KEY,
		run_id text NOT NULL,
		version integer NOT NULL
	);
	CREATE INDEX commits_of_run ON pawl.commits (run_id);
	CREATE TABLE pawl.effects (
		seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
		run_id text NOT NULL,
		effect text NOT NULL,
		commit_id text NOT NULL,
		done boolean NOT NULL DEFAULT false
	);
	CREATE INDEX effects_pending ON pawl.effects (run_id, seq) WHERE NOT done;
	CREATE INDEX effects_of_commit ON pawl.effects (commit_id);
	CREATE TABLE pawl.inbox (
		id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
		run_id text NOT NULL,
		input text NOT NULL,
		post_id text NOT NULL UNIQUE
	);
	CREATE INDEX inbox_of_run ON pawl.inbox (run_id);
	CREATE TABLE pawl.claims (
		token text PRIMARY KEY,
		run_id text NOT NULL,
		handle text NOT NULL,
		data text NOT NULL,
		expires_at text NOT NULL,
		state text NOT NULL DEFAULT 'held',
		number bigint GENERATED ALWAYS AS IDENTITY
	);
	CREATE INDEX claims_of_run ON pawl.claims (run_id);
	CREATE INDEX claims_handle ON pawl.claims (handle);
	CREATE TABLE pawl.lanes (
		run_id text NOT NULL,
		scope text NOT NULL,
		epoch integer NOT NULL,
		worker text NOT NULL,
		token text NOT NULL,
		since timestamptz NOT NULL,
		seen timestamptz,
		until timestamptz,
		PRIMARY KEY (run_id, scope)
	);
	COMMENT ON COLUMN pawl.lanes.until IS 'the lease ends then unless it is renewed; null: it was released';
	CREATE TABLE pawl.steps (
		id text PRIMARY KEY,
		run_id text NOT NULL,
		step_id text NOT NULL,
		agent_id text NOT NULL,
		step_index integer NOT NULL DEFAULT 0,
		input_template text NOT NULL DEFAULT '',
		expects text NOT NULL DEFAULT '',
		status text NOT NULL DEFAULT 'waiting',
		output text,
		retry_count integer DEFAULT 0,
		max_retries integer DEFAULT 2,
		type text NOT NULL DEFAULT 'single',
		loop_config text,
		current_story_id text,
		created_at text NOT NULL,
		updated_at text NOT NULL
	);
	CREATE INDEX steps_of_run ON pawl.steps (run_id);
	CREATE TABLE pawl.stories (
		id text PRIMARY KEY,
		run_id text NOT NULL,
		story_index integer NOT NULL,
		story_id text NOT NULL,
		title text NOT NULL,
		description text NOT NULL,
		acceptance_criteria text NOT NULL,
		status text NOT NULL DEFAULT 'pending',
		output text,
		retry_count integer DEFAULT 0,
		max_retries integer DEFAULT 2,
		created_at text NOT NULL,
		updated_at text NOT NULL
	);
	CREATE INDEX stories_of_run ON pawl.stories (run_id);
	`,
	},
	// What many machines share beside journals: who works, which accounts have room, whose turn it is to merge, and what has to travel.
	{
		sql: `
	CREATE TABLE pawl.workers (
		id text PRIMARY KEY,
		host text NOT NULL,
		version text NOT NULL,
		labels text[] NOT NULL DEFAULT '{}',
		started timestamptz NOT NULL DEFAULT now(),
		seen timestamptz NOT NULL DEFAULT now(),
		draining boolean NOT NULL DEFAULT false
	);
	CREATE TABLE pawl.accounts (
		name text PRIMARY KEY,
		max integer NOT NULL,
		limited_until timestamptz
	);
	CREATE TABLE pawl.seats (
		account text NOT NULL,
		holder text PRIMARY KEY,
		until timestamptz NOT NULL
	);
	CREATE INDEX seats_of_account ON pawl.seats (account);
	CREATE TABLE pawl.merge_turns (
		ticket bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
		repo text NOT NULL,
		base text NOT NULL,
		run_id text NOT NULL,
		scope text NOT NULL,
		epoch integer NOT NULL,
		UNIQUE (repo, base, run_id, scope)
	);
	CREATE TABLE pawl.files (
		run_id text NOT NULL,
		path text NOT NULL,
		version integer NOT NULL,
		content bytea NOT NULL,
		PRIMARY KEY (run_id, path)
	);
	CREATE TABLE pawl.log_pieces (
		run_id text NOT NULL,
		scope text NOT NULL,
		step text NOT NULL,
		attempt integer NOT NULL,
		n integer NOT NULL,
		data bytea NOT NULL,
		PRIMARY KEY (run_id, scope, step, attempt, n)
	);
	`,
	},
	// Who works where, and which workers may. The rule is a trigger, because workers that do not know it take leases, too: they are in no list. So a lane of
	// a run that requires something goes to a listed worker that has it, or for a moment to the command of a person ('pawl process …').
	{
		sql: `
	ALTER TABLE pawl.workers
		ADD COLUMN lanes integer NOT NULL DEFAULT 1,
		ADD COLUMN repo text NOT NULL DEFAULT '',
		ADD COLUMN lease_ms bigint NOT NULL DEFAULT 180000;
	ALTER TABLE pawl.runs ADD COLUMN requires text[] NOT NULL DEFAULT '{}';
	CREATE INDEX lanes_of_worker ON pawl.lanes (worker);
	CREATE FUNCTION pawl.check_holder() RETURNS trigger LANGUAGE plpgsql AS $$
	DECLARE wanted text[];
	BEGIN
		SELECT requires INTO wanted FROM pawl.runs
		WHERE id = NEW.run_id AND status NOT IN ('completed', 'failed', 'cancelled', 'refused');
		IF cardinality(wanted) > 0 AND NEW.worker NOT LIKE 'pawl process %'
			AND NOT EXISTS (SELECT 1 FROM pawl.workers WHERE id = NEW.worker AND labels @> wanted) THEN
			RAISE EXCEPTION 'run % requires a worker with %', NEW.run_id, array_to_string(wanted, ', ');
		END IF;
		RETURN NEW;
	END $$;
	CREATE TRIGGER check_holder BEFORE INSERT OR UPDATE OF epoch ON pawl.lanes FOR EACH ROW EXECUTE FUNCTION pawl.check_holder();
	`,
	},
	// Where a piece is in the log of its step, so that every machine puts it in the same place; whose a file is, and that it is gone.
	{
		sql: `
	ALTER TABLE pawl.log_pieces ADD COLUMN position bigint NOT NULL DEFAULT 0, ADD COLUMN size integer NOT NULL DEFAULT 0;
	CREATE UNIQUE INDEX log_pieces_in_order ON pawl.log_pieces (run_id, scope, step, position);
	ALTER TABLE pawl.files ADD COLUMN lane text NOT NULL DEFAULT '', ADD COLUMN gone boolean NOT NULL DEFAULT false;
	CREATE INDEX files_by_version ON pawl.files (run_id, version);
	COMMENT ON COLUMN pawl.files.lane IS 'whose file it is; empty: everybody''s';
	COMMENT ON COLUMN pawl.files.version IS 'runs.changes after the commit that wrote it';
	`,
	},
	// Who has a seat of an account, and who waits for one.
	{
		sql: `
	ALTER TABLE pawl.accounts ALTER COLUMN max DROP NOT NULL, ADD COLUMN limited_by text;
	COMMENT ON COLUMN pawl.accounts.max IS 'how many sessions at once; null: any number';
	ALTER TABLE pawl.seats
		ADD COLUMN number bigint GENERATED ALWAYS AS IDENTITY,
		ADD COLUMN run_id text NOT NULL,
		ADD COLUMN scope text NOT NULL,
		ADD COLUMN step text NOT NULL,
		ADD COLUMN attempt integer NOT NULL,
		ADD COLUMN worker text NOT NULL,
		ADD COLUMN since timestamptz NOT NULL,
		ADD COLUMN taken timestamptz;
	COMMENT ON COLUMN pawl.seats.taken IS 'null: it waits for a seat, in the order of the numbers';
	`,
	},
	// Who wrote what, and what a worker may not write (roles.ts): a person's decision, or the end of a step that waits for one. With one role for everybody nobody is
	// a worker. The name is set here and nowhere else, so nobody can sign as another; names in here mean what they mean to PostgreSQL, whatever a session says.
	{
		sql: `
	ALTER TABLE pawl.events ADD COLUMN committed_by text;
	CREATE INDEX events_asked ON pawl.events (run_id, version) WHERE event = 'step_waiting';
	CREATE FUNCTION pawl.is_worker(who text) RETURNS boolean LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
		SELECT coalesce(pg_has_role(to_regrole(quote_ident(who)), to_regrole('pawl_worker'), 'MEMBER')
			AND NOT pg_has_role(to_regrole(quote_ident(who)), to_regrole('pawl_person'), 'MEMBER'), false)
	$$;
	CREATE FUNCTION pawl.check_author() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
	DECLARE asked integer;
	BEGIN
		NEW.committed_by := session_user;
		IF NOT pawl.is_worker(session_user) THEN RETURN NEW; END IF;
		IF NEW.event IN ('run_created', 'run_adopted', 'run_resumed', 'run_steered', 'stop_requested', 'decided', 'story_retried', 'work_undone',
			'budget_extended', 'loop_extended', 'unknown_cost_allowed', 'settings_accepted') OR json_typeof(NEW.data::json -> 'by') = 'object' THEN
			RAISE EXCEPTION '% is a person''s to decide, and % is a worker', NEW.event, session_user USING ERRCODE = 'insufficient_privilege';
		END IF;
		IF NEW.event = 'step_completed' THEN
			SELECT max(version) INTO asked FROM pawl.events WHERE run_id = NEW.run_id AND event = 'step_waiting'
				AND data::json ->> 'scope' = NEW.data::json ->> 'scope' AND data::json ->> 'step' = NEW.data::json ->> 'step';
			IF asked IS NOT NULL AND NOT EXISTS (
				SELECT 1 FROM pawl.events WHERE run_id = NEW.run_id AND version > asked AND NOT pawl.is_worker(coalesce(committed_by, ''))
					AND data::json ->> 'scope' = NEW.data::json ->> 'scope'
					AND (event = 'story_retried' OR data::json ->> 'step' = NEW.data::json ->> 'step')
			) THEN
				RAISE EXCEPTION '% waits for a person, and % is a worker', NEW.data::json ->> 'step', session_user
					USING ERRCODE = 'insufficient_privilege';
			END IF;
		END IF;
		RETURN NEW;
	END $$;
	CREATE TRIGGER check_author BEFORE INSERT ON pawl.events FOR EACH ROW EXECUTE FUNCTION pawl.check_author();
	`,
	},
	// A step that waits for a person can be got around in other ways: by skipping it, or by ending its story.
	{
		sql: `
	CREATE FUNCTION pawl.waits_for_person(run text, of_scope text, of_step text) RETURNS boolean
	LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
		SELECT EXISTS (
			SELECT 1 FROM pawl.events w WHERE w.run_id = run AND w.event = 'step_waiting' AND w.data::json ->> 'scope' = of_scope
				AND (of_step IS NULL OR w.data::json ->> 'step' = of_step)
				AND NOT EXISTS (
					SELECT 1 FROM pawl.events e WHERE e.run_id = run AND e.version > w.version AND NOT pawl.is_worker(coalesce(e.committed_by, ''))
						AND (e.event IN ('run_adopted', 'stories_replaced') OR e.data::json ->> 'scope' = of_scope
							AND (e.event = 'story_retried' OR e.data::json ->> 'step' = w.data::json ->> 'step'))
				)
		)
	$$;
	CREATE OR REPLACE FUNCTION pawl.check_author() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
	BEGIN
		NEW.committed_by := session_user;
		IF NOT pawl.is_worker(session_user) THEN RETURN NEW; END IF;
		IF NEW.event IN ('run_created', 'run_adopted', 'run_resumed', 'run_steered', 'stop_requested', 'decided', 'story_retried', 'work_undone',
			'budget_extended', 'loop_extended', 'unknown_cost_allowed', 'settings_accepted') OR json_typeof(NEW.data::json -> 'by') = 'object' THEN
			RAISE EXCEPTION '% is a person''s to decide, and % is a worker', NEW.event, session_user USING ERRCODE = 'insufficient_privilege';
		END IF;
		IF NEW.event IN ('step_completed', 'step_skipped', 'story_completed')
			AND pawl.waits_for_person(NEW.run_id, NEW.data::json ->> 'scope', NEW.data::json ->> 'step') THEN
			RAISE EXCEPTION '% waits for a person, and % is a worker', coalesce(NEW.data::json ->> 'step', NEW.data::json ->> 'scope'), session_user
				USING ERRCODE = 'insufficient_privilege';
		END IF;
		RETURN NEW;
	END $$;
	`,
	},
];

/** Locks out others who migrate. It belongs to the transaction that migrates and ends with it, so nobody can hold it and do nothing. */
const LOCK = 7_290_418;
const THERE = "SELECT to_regclass('pawl.schema_version') IS NOT NULL AS there";
const VERSION = "SELECT version, oldest FROM pawl.schema_version";

interface SchemaVersion {
	/** How many steps were done. */
	readonly version: number;
	/** How many steps a program must know. */
	readonly oldest: number;
}

/** Applies the missing steps, all in one transaction; other processes may be doing the same at this moment. */
export async function migrate(database: Database, migrations: readonly Migration[] = MIGRATIONS): Promise<void> {
	const known = migrations.length;
	const [look] = await database.query<{ there: boolean }>(THERE);
	if (look?.there === true) {
		const [now] = await database.query<SchemaVersion>(VERSION);
		refuseNewer(now, known);
		if (now !== undefined && now.version >= known) return;
	}
	await database.transaction(async (session) => {
		await session.query(`SELECT pg_advisory_xact_lock(${LOCK})`);
		await session.query(`CREATE SCHEMA IF NOT EXISTS pawl;
			CREATE TABLE IF NOT EXISTS pawl.schema_version (version integer NOT NULL, oldest integer NOT NULL)`);
		const { rows } = await session.query<SchemaVersion>(VERSION);
		const seen = rows[0] ?? { version: 0, oldest: 0 };
		refuseNewer(seen, known);
		const missing = migrations.slice(seen.version);
		for (const { sql } of missing) await session.query(sql);
		const oldest = Math.max(seen.oldest, migrations.findLastIndex(({ breaks }) => breaks) + 1, 1);
		// New tables need rights, too.
		const roles = await session.query<{ here: boolean | null }>(
			`SELECT has_schema_privilege(to_regrole('${WORKER}'), 'pawl', 'USAGE') AS here`,
		);
		if (roles.rows[0]?.here === true) await session.query(GRANTS);
		await session.query("DELETE FROM pawl.schema_version");
		await session.query("INSERT INTO pawl.schema_version VALUES ($1, $2)", [Math.max(seen.version, known), oldest]);
		return { keep: true, value: undefined };
	});
}

function refuseNewer(now: SchemaVersion | undefined, known: number): void {
	if (now !== undefined && now.oldest > known)
		throw new NewerPawl(`it was made by a newer pawl (it needs schema ${now.oldest}, this one knows ${known}): update pawl to use it`);
}
