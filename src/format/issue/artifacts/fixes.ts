// The action `artifacts.fixes`: each finding that asks for other code gets a fix spec of its own, task-fix-N.md, numbered from 1 within
// the final review; a finding that comes again keeps its number, so that its spec is edited in place.
import { join } from "node:path";
import type { Finding } from "../../../core/model.ts";
import { readFindings } from "../../../core/report/findings.ts";
import type { Action } from "../../../format.ts";
import { fieldOf, fixName, pathList, runDirOf } from "./context.ts";

/** Classes that ask for something else than other code. */
const NOT_CODE = ["cosmetic", "test", "not_testable", "plan", "split"];

export const isAboutCode = (finding: Finding): boolean => !NOT_CODE.includes(finding.class);

export const fixes: Action = async (context) => {
	const dir = runDirOf(context);
	const known = fieldOf(context, "fix_keys")
		.split("\n")
		.filter((key) => key !== "");
	const all = readFindings(fieldOf(context, "findings"));
	const wanted = all.filter(isAboutCode);
	const keys = [...known];
	const lines: string[] = [];
	const names: string[] = [];
	for (const { key, class: kind, text } of wanted.length > 0 ? wanted : all) {
		const id = key.replace(/\s+/g, " ");
		if (!keys.includes(id)) keys.push(id);
		const name = fixName(keys.indexOf(id) + 1);
		if (!names.includes(name)) names.push(name);
		lines.push(`- ${join(dir, name)}: [${id}] ${kind === "" ? "" : `${kind}: `}${text}`);
	}
	return {
		signal: "numbered",
		facts: { fix_keys: keys.join("\n"), fix_files: pathList(dir, names), fix_list: lines.join("\n") },
		notes: lines.join("\n"),
	};
};
