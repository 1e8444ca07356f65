// The action `artifacts.fixes`: each finding that asks for other code gets a fix spec of its own, task-fix-N.md, numbered from 1 within
// the final review; a finding that comes again keeps its number, so that its spec is edited in place.
import { join } from "node:path";
import { readFindings } from "../../../core/report/findings.ts";
import type { Action } from "../../../format.ts";
import { fieldOf, pathList, runDirOf } from "./context.ts";

const COSMETIC = "cosmetic";

export const fixes: Action = async (context) => {
	const dir = runDirOf(context);
	const known = fieldOf(context, "fix_keys")
		.split("\n")
		.filter((key) => key !== "");
	const all = readFindings(fieldOf(context, "findings"));
	const wanted = all.filter((finding) => finding.class !== COSMETIC);
	const keys = [...known];
	const lines: string[] = [];
	const names: string[] = [];
	for (const { key, class: kind, text } of wanted.length > 0 ? wanted : all) {
		const id = key.replace(/\s+/g, " ");
		if (!keys.includes(id)) keys.push(id);
		const name = `task-fix-${keys.indexOf(id) + 1}.md`;
		if (!names.includes(name)) names.push(name);
		lines.push(`- ${join(dir, name)}: [${id}] ${kind === "" ? "" : `${kind}: `}${text}`);
	}
	return {
		signal: "numbered",
		facts: { fix_keys: keys.join("\n"), fix_files: pathList(dir, names), fix_list: lines.join("\n") },
		notes: lines.join("\n"),
	};
};
