// The changes of a story: by file, side by side on a wide screen, below each other on a narrow one.
import { useSignal } from "@preact/signals";
import type { StoryDiff } from "../api/types.ts";
import { flat, plain } from "../plain.ts";
import { type FileDiff, filesOf, type Row } from "../words/patch.ts";
import { countOf } from "../words/words.ts";
import { Fold } from "./fold.tsx";
import { highlighted, languageOf } from "./highlight.tsx";

/** Longer ones open on demand. */
const OPEN_ROWS = 300;
/** Beyond this a file is shown without colours, and in parts. */
const COLOUR_ROWS = 1_500;
const PART_ROWS = 500;

export function DiffView({ diff }: { readonly diff: StoryDiff }) {
	const files = filesOf(diff.patch);
	if (files.length === 0) return <p class="soft">It changed nothing.</p>;
	return (
		<div class="diff">
			<p class="soft number">
				{countOf(files.length, "file")}, <span class="good-text">+{files.reduce((sum, file) => sum + file.added, 0)}</span>{" "}
				<span class="bad-text">−{files.reduce((sum, file) => sum + file.removed, 0)}</span>
			</p>
			{diff.commits.map(({ sha, subject }) => (
				<p key={sha} class="said">
					<span class="mono soft">{sha.slice(0, 10)}</span> {flat(subject)}
				</p>
			))}
			{files.map((file, index) => (
				<Fold
					key={file.name}
					name={flat(file.name)}
					note={[file.note, `+${file.added} −${file.removed}`].filter((part) => part !== "").join(" · ")}
					open={index < 8 && file.rows.length <= OPEN_ROWS}
				>
					{() => <FileRows file={file} />}
				</Fold>
			))}
		</div>
	);
}

function FileRows({ file }: { readonly file: FileDiff }) {
	const shown = useSignal(PART_ROWS);
	// A file that is new or gone has nothing to stand beside it.
	const oneSided = (file.added === 0 || file.removed === 0) && file.rows.every(({ kind }) => kind !== "same");
	const language = file.rows.length <= COLOUR_ROWS ? languageOf(file.name) : null;
	if (file.rows.length === 0) return <p class="soft">No lines to show.</p>;
	return (
		<>
			<table class={`diff-table ${oneSided ? "one-sided" : ""}`} aria-label={`Changes in ${flat(file.name)}`}>
				<colgroup>
					<col class="diff-numbers" />
					<col />
					{!oneSided && (
						<>
							<col class="diff-numbers" />
							<col />
						</>
					)}
				</colgroup>
				<tbody>
					{file.rows.slice(0, shown.value).map((row, index) => (
						<DiffRow key={index} row={row} language={language} columns={oneSided ? 2 : 4} />
					))}
				</tbody>
			</table>
			{shown.value < file.rows.length && (
				<button type="button" onClick={() => (shown.value += PART_ROWS)}>
					{file.rows.length - shown.value} more lines
				</button>
			)}
		</>
	);
}

function DiffRow({ row, language, columns }: { readonly row: Row; readonly language: string | null; readonly columns: number }) {
	if (row.kind === "hunk")
		return columns === 2 && row.about === "" ? null : (
			<tr class="diff-hunk">
				<td colSpan={columns} class="said">
					{row.about === "" ? "⋯" : `⋯ ${plain(row.about)}`}
				</td>
			</tr>
		);
	return (
		<tr class={row.kind === "same" ? "" : `${row.before === null ? "only-new" : row.after === null ? "only-old" : ""}`}>
			<Side side={row.before} changed={row.kind === "changed"} old language={language} />
			<Side side={row.after} changed={row.kind === "changed"} old={false} language={language} />
		</tr>
	);
}

interface SideProps {
	readonly side: Row["before"];
	readonly changed: boolean;
	readonly old: boolean;
	readonly language: string | null;
}

function Side({ side, changed, old, language }: SideProps) {
	const kind = `${old ? "old" : "new"} ${side === null ? "none" : changed ? (old ? "out" : "in") : "same"}`;
	return (
		<>
			<td class={`diff-number number ${kind}`}>{side?.number}</td>
			<td class={`diff-code said ${kind}`}>{side === null ? "" : highlighted(plain(side.text), language)}</td>
		</>
	);
}
