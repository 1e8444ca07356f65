// A unified diff, as git writes it, as files with rows that people compare side by side.

export interface Row {
	readonly kind: "same" | "changed" | "hunk";
	/** Number and text before; null: the line is new. */
	readonly before: { readonly number: number; readonly text: string } | null;
	readonly after: { readonly number: number; readonly text: string } | null;
	/** For a hunk: what stands beside @@. */
	readonly about: string;
}

export interface FileDiff {
	readonly name: string;
	readonly note: string;
	readonly added: number;
	readonly removed: number;
	readonly rows: readonly Row[];
}

export function filesOf(patch: string): FileDiff[] {
	return patch
		.split(/^(?=diff --git )/m)
		.filter((part) => part.startsWith("diff --git "))
		.map(fileOf);
}

function fileOf(part: string): FileDiff {
	const lines = part.replace(/\n$/, "").split("\n");
	const start = lines.findIndex((line) => line.startsWith("@@"));
	const head = start < 0 ? lines : lines.slice(0, start);
	const rows = start < 0 ? [] : rowsOf(lines.slice(start));
	return {
		name: nameOf(head),
		note: noteOf(head),
		added: rows.filter((row) => row.kind === "changed" && row.after !== null).length,
		removed: rows.filter((row) => row.kind === "changed" && row.before !== null).length,
		rows,
	};
}

function nameOf(head: readonly string[]): string {
	const named = (prefix: RegExp): string | undefined =>
		head
			.find((line) => prefix.test(line))
			?.replace(prefix, "")
			.replace(/\t$/, "");
	const after = named(/^\+\+\+ (?:b\/)?/);
	const before = named(/^--- (?:a\/)?/);
	const known = after === undefined || after === "/dev/null" ? before : after;
	return known ?? named(/^rename to /) ?? / b\/(.*)$/.exec(head[0] ?? "")?.[1] ?? "";
}

function noteOf(head: readonly string[]): string {
	const from = head.find((line) => line.startsWith("rename from "));
	if (from !== undefined) return `was ${from.slice("rename from ".length)}`;
	if (head.some((line) => line.startsWith("new file"))) return "new";
	if (head.some((line) => line.startsWith("deleted file"))) return "deleted";
	return head.some((line) => line.startsWith("Binary") || line.startsWith("GIT binary")) ? "binary" : "";
}

function rowsOf(lines: readonly string[]): Row[] {
	const rows: Row[] = [];
	let before = 0;
	let after = 0;
	let removed: NonNullable<Row["before"]>[] = [];
	let added: NonNullable<Row["after"]>[] = [];
	// What was taken out and what came in its place stand beside each other.
	const flush = (): void => {
		for (let i = 0; i < Math.max(removed.length, added.length); i += 1)
			rows.push({ kind: "changed", before: removed[i] ?? null, after: added[i] ?? null, about: "" });
		removed = [];
		added = [];
	};
	for (const line of lines) {
		const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@ ?(.*)$/.exec(line);
		if (hunk !== null) {
			flush();
			before = Number(hunk[1]);
			after = Number(hunk[2]);
			rows.push({ kind: "hunk", before: null, after: null, about: hunk[3] ?? "" });
		} else if (line.startsWith("-")) {
			removed.push({ number: before, text: line.slice(1) });
			before += 1;
		} else if (line.startsWith("+")) {
			added.push({ number: after, text: line.slice(1) });
			after += 1;
		} else if (!line.startsWith("\\")) {
			flush();
			rows.push({
				kind: "same",
				before: { number: before, text: line.slice(1) },
				after: { number: after, text: line.slice(1) },
				about: "",
			});
			before += 1;
			after += 1;
		}
	}
	flush();
	return rows;
}
