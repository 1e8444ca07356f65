// The timeline: a lane for each agent, with attempts, waits, checks and merges, and where the time went.
import { useSignal } from "@preact/signals";
import { at, get } from "../api/request.ts";
import type { Attempt, RunView } from "../api/types.ts";
import { Bar as Share } from "../parts/bar.tsx";
import { Table } from "../parts/table.tsx";
import { hrefOf } from "../route.ts";
import { about } from "../state/now.ts";
import { useFromRun } from "../state/use-run.ts";
import { type Lane, type Lanes, lanesOf, type Piece, type Sum, sumsOf, ticksOf } from "../words/lanes.ts";
import { clock, moneyText, span, statusWord, timeOf } from "../words/words.ts";

const ROW = 22;
/** Where the names of the stories stand. */
const HEAD = 18;
const ZOOMS = [1, 2, 4, 8, 16] as const;

export function TimelineTab({ run }: { readonly run: RunView }) {
	const attempts = useFromRun(run.run, () => get<Attempt[]>(`runs/${at(run.run)}/attempts`)).value.value;
	const zoom = useSignal(1);
	if (attempts === null) return <p class="soft">loading…</p>;
	if (!attempts.some(({ kind }) => kind !== "each")) return <p class="empty">Nothing has started yet.</p>;
	// What is cut off does not go on: it ends where the run was last seen.
	const end = run.driven || run.status === "waiting" ? about.value : (timeOf(run.ended_at) ?? lastSign(attempts));
	const picture = lanesOf(attempts, end);
	return (
		<>
			<div class="tools">
				<span class="legend">
					<Legend kind="agent" name="agent" />
					<Legend kind="own" name="checks, merges" />
					<Legend kind="bad" name="failed, sent back" />
					<Legend kind="wait" name="waiting" />
				</span>
				<label class="check">
					zoom
					<select value={zoom.value} onChange={(event) => (zoom.value = Number(event.currentTarget.value))}>
						{ZOOMS.map((one) => (
							<option key={one} value={one}>
								{one}×
							</option>
						))}
					</select>
				</label>
			</div>
			<Drawing run={run.run} picture={picture} zoom={zoom.value} />
			<Sums picture={picture} />
		</>
	);
}

const lastSign = (attempts: readonly Attempt[]): number =>
	Math.max(...attempts.flatMap((one) => [timeOf(one.started_at) ?? 0, timeOf(one.ended_at) ?? 0]));

function Legend({ kind, name }: { readonly kind: string; readonly name: string }) {
	return (
		<span class="legend-item">
			<span class={`legend-mark piece ${kind}`} /> {name}
		</span>
	);
}

function Drawing({ run, picture, zoom }: { readonly run: string; readonly picture: Lanes; readonly zoom: number }) {
	const { from, to, lanes } = picture;
	const share = (time: number): string => `${(100 * (time - from)) / (to - from)}%`;
	// None whose time would be cut off at the end.
	const ticks = ticksOf(from, to, 6 * zoom).filter((tick) => (to - tick) / (to - from) > 0.07 / zoom);
	const isCrowded = (tick: number, i: number): boolean => (ticks.length > 4 && i % 2 === 1) || (to - tick) / (to - from) < 0.22 / zoom;
	return (
		<div class="timeline">
			<div class="lane-names">
				<div class="axis" />
				{lanes.map((lane) => (
					<div key={lane.name} class="lane-name" style={{ height: `${heightOf(lane)}px` }}>
						{lane.name}
					</div>
				))}
			</div>
			{/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
			<section class="lanes" tabIndex={0} aria-label="Timeline">
				<div class="lanes-inner" style={{ width: `${zoom * 100}%` }}>
					<div class="axis" aria-hidden="true">
						{ticks.map((tick, i) => (
							<span key={tick} class={`tick ${isCrowded(tick, i) ? "wide-only" : ""}`} style={{ left: share(tick) }}>
								{clock(tick)}
							</span>
						))}
					</div>
					{lanes.map((lane) => (
						<div key={lane.name} class="lane" style={{ height: `${heightOf(lane)}px` }}>
							{lane.stories.map((one) => (
								<span
									key={one.story}
									class="stretch"
									aria-hidden="true"
									style={{ left: share(one.from), width: share(from + one.to - one.from) }}
								>
									{one.story}
								</span>
							))}
							{lane.pieces.map((piece) => (
								<Bar
									key={keyOf(piece)}
									run={run}
									piece={piece}
									top={headOf(lane) + piece.row * ROW + 4}
									left={share(piece.from)}
									width={share(from + piece.to - piece.from)}
								/>
							))}
						</div>
					))}
				</div>
			</section>
		</div>
	);
}

const headOf = (lane: Lane): number => (lane.stories.length === 0 ? 0 : HEAD);
const heightOf = (lane: Lane): number => headOf(lane) + lane.rows * ROW + 8;

const keyOf = ({ attempt, wait }: Piece): string =>
	`${attempt.story} ${attempt.step} ${attempt.number} ${attempt.role} ${attempt.started_at} ${wait}`;

function kindOf({ attempt, wait }: Piece): string {
	if (wait) return "wait";
	if (attempt.signal !== null && /fail|error|retry|reject|blocked|unreadable|lost|timed|conflict/.test(attempt.signal)) return "bad";
	return attempt.kind === "action" || attempt.kind === "command" || attempt.role === "" ? "own" : "agent";
}

interface BarProps {
	readonly run: string;
	readonly piece: Piece;
	readonly left: string;
	readonly width: string;
	readonly top: number;
}

function Bar({ run, piece, left, width, top }: BarProps) {
	const { attempt, wait, from, to } = piece;
	const type = statusWord(attempt.type ?? attempt.step);
	const what = wait ? `waiting (${statusWord(attempt.signal ?? "")})` : `${type}${attempt.nth > 1 ? ` ${attempt.nth}` : ""}`;
	const full = [
		what,
		attempt.story ?? "run",
		attempt.role,
		span(to - from),
		attempt.cost_usd === null || wait ? null : moneyText(attempt.cost_usd),
		attempt.signal === null ? "at work" : statusWord(attempt.signal),
	]
		.filter((part) => part !== null && part !== "")
		.join(", ");
	return (
		<a
			class={`piece ${kindOf(piece)}`}
			href={hrefOf({ screen: "session", run, story: attempt.story ?? "run", step: attempt.step })}
			title={full}
			aria-label={full}
			style={{ left, width, top: `${top}px` }}
		>
			<span>{what}</span>
		</a>
	);
}

function Sums({ picture }: { readonly picture: Lanes }) {
	const sums = sumsOf(picture.lanes);
	const all = sums.reduce((sum, one) => sum + one.ms, 0);
	const share = ({ ms }: Sum): number => (all === 0 ? 0 : ms / all);
	return (
		<Table
			title="Where the time went"
			of="step"
			rows={sums}
			nameOf={(sum) => sum.type}
			name={(sum) => statusWord(sum.type)}
			columns={[
				{ name: "share", picture: true, cell: (sum) => <Share share={share(sum)} label={`${Math.round(100 * share(sum))} %`} /> },
				{ name: "time", cell: (sum) => span(sum.ms) },
				{ name: "%", cell: (sum) => Math.round(100 * share(sum)) },
				{ name: "times", cell: (sum) => sum.attempts },
				{ name: "cost", cell: (sum) => moneyText(sum.costUsd) },
			]}
		/>
	);
}
