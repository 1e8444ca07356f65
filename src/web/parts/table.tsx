// A table of figures: the first column names a row, the others are numbers. All tables with the same columns line up below each other.
import type { ComponentChildren } from "preact";

export interface Column<T> {
	readonly name: string;
	readonly cell: (row: T) => ComponentChildren;
	/** A picture beside the numbers, left out on a narrow screen. */
	readonly picture?: boolean;
}

interface TableProps<T> {
	/** Of the whole table; what the first column holds is `of`. */
	readonly title: string;
	readonly of: string;
	readonly rows: readonly T[];
	readonly nameOf: (row: T) => string;
	readonly name: (row: T) => ComponentChildren;
	readonly columns: readonly Column<T>[];
}

export function Table<T>({ title, of, rows, nameOf, name, columns }: TableProps<T>) {
	const classOf = ({ picture }: Column<T>): string => (picture ? "wide-only picture" : "right");
	return (
		<section class="group" aria-label={title}>
			<h2>{title}</h2>
			<div class="table-box">
				<table class="figures">
					<thead>
						<tr>
							<th scope="col">{of}</th>
							{columns.map((column) => (
								<th key={column.name} scope="col" class={classOf(column)}>
									{column.name}
								</th>
							))}
						</tr>
					</thead>
					<tbody>
						{rows.map((row) => (
							<tr key={nameOf(row)}>
								<th scope="row" class="said">
									{name(row)}
								</th>
								{columns.map((column) => (
									<td key={column.name} class={classOf(column)}>
										{column.cell(row)}
									</td>
								))}
							</tr>
						))}
					</tbody>
				</table>
			</div>
		</section>
	);
}
