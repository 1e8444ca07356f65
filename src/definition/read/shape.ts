// Checks the YAML value against the schema. A mistake in one entry (a type, a role, a budget) must not hide mistakes in others, so
// broken entries are set aside and the rest goes through the later checks.
import type { z } from "zod";
import { list, type Path, type Report, suggest } from "../problem.ts";
import { type WrittenWorkflow, workflowSchema } from "../schema.ts";

export interface Shape {
	/** null: too broken to check further. */
	readonly workflow: WrittenWorkflow | null;
	/** Entries that were set aside, such as `types.coding`, and whole keys, such as `on`; later checks may add more. */
	readonly broken: Set<string>;
}

const MAPS = ["inputs", "budgets", "roles", "types"];

export function readShape(value: unknown, report: Report): Shape {
	const broken = new Set<string>();
	if (typeof value !== "object" || value === null || Array.isArray(value)) {
		report([], "a workflow is a map of keys: `name`, `steps`, `types` and others");
		return { workflow: null, broken };
	}
	const first = workflowSchema.safeParse(value);
	if (first.success) return { workflow: first.data, broken };
	const rest = structuredClone(value) as Record<string, unknown>;
	for (const issue of flatten(first.error.issues, value)) {
		explain(issue, value, report);
		setAside(rest, issue, broken);
	}
	// A workflow without a name can still be looked at.
	if (!Object.hasOwn(rest, "name")) rest["name"] = "unnamed";
	const second = workflowSchema.safeParse(rest);
	return { workflow: second.success ? second.data : null, broken };
}

type Issue = z.core.$ZodIssue;

/** For a union, reports the issues of the branch that was meant: the one whose type fits the value. */
function flatten(issues: readonly Issue[], root: unknown): Issue[] {
	return issues.flatMap((issue): Issue[] => {
		if (issue.code !== "invalid_union") return [issue];
		const meant = issue.errors.find((branch) => branch.every((i) => i.path.length > 0 || i.code === "unrecognized_keys"));
		if (meant) return flatten(meant.map((i) => ({ ...i, path: [...issue.path, ...i.path] })) as Issue[], root);
		const choice = issue.errors.flat().find((i) => i.code === "invalid_value");
		if (choice && typeof at(root, issue.path) === "string") return [{ ...choice, path: issue.path } as Issue];
		return [issue];
	});
}

function explain(issue: Issue, root: unknown, report: Report): void {
	const path = issue.path.map((p) => (typeof p === "symbol" ? String(p) : p));
	const key = path.at(-1);
	if (issue.code === "unrecognized_keys") {
		for (const k of issue.keys) report([...path, k], `unknown key \`${k}\`${suggest(k, knownKeys(path))}`, "key");
	} else if (issue.code === "invalid_key") {
		report(path, `\`${String(key)}\` cannot be used here: ${issue.issues[0]?.message ?? issue.message}`, "key");
	} else if (at(root, path) === undefined && !hasKey(root, path)) {
		report(path.slice(0, -1), `\`${String(key)}\` is missing`, "key");
	} else if (issue.code === "invalid_value") {
		const found = at(root, path);
		const own = issue.message.startsWith("Invalid") ? `one of ${list(issue.values.map(String))} is wanted here` : issue.message;
		report(path, typeof found === "string" && issue.values.length > 1 ? `${own}, not \`${found}\`${meant(found, issue.values)}` : own);
	} else if (issue.code === "invalid_type" && issue.message.startsWith("Invalid")) {
		report(path, `${WANTED[issue.expected] ?? issue.expected} is wanted here`);
	} else report(path, issue.message);
}

const WANTED: Readonly<Record<string, string>> = {
	string: "a text",
	record: "a map",
	object: "a map",
	array: "a list",
	boolean: "true or false",
	int: "a whole number",
};

function meant(found: string, values: readonly unknown[]): string {
	const words = suggest(found, values.map(String));
	return words.includes("did you mean") ? words : "";
}

function setAside(rest: Record<string, unknown>, issue: Issue, broken: Set<string>): void {
	if (issue.code === "unrecognized_keys") {
		// The key is reported; the rest of the entry can still be checked.
		const holder = at(rest, issue.path);
		for (const k of issue.keys) if (typeof holder === "object" && holder !== null) delete (holder as Record<string, unknown>)[k];
		return;
	}
	const [top, entry] = issue.path.map(String);
	if (top === undefined) return;
	const map = rest[top];
	if (entry !== undefined && MAPS.includes(top) && typeof map === "object" && map !== null) {
		broken.add(`${top}.${entry}`);
		delete (map as Record<string, unknown>)[entry];
	} else {
		broken.add(top);
		delete rest[top];
	}
}

function at(value: unknown, path: readonly PropertyKey[]): unknown {
	return path.reduce<unknown>(
		(v, p) => (typeof v === "object" && v !== null && Object.hasOwn(v, p) ? (v as Record<PropertyKey, unknown>)[p] : undefined),
		value,
	);
}

function hasKey(value: unknown, path: Path): boolean {
	const holder = at(value, path.slice(0, -1));
	const key = path.at(-1);
	return typeof holder === "object" && holder !== null && key !== undefined && Object.hasOwn(holder, key);
}

/** The keys that the schema knows at a path. */
export function knownKeys(path: Path): string[] {
	let schemas: z.core.$ZodType[] = [workflowSchema];
	for (const part of path) schemas = schemas.flatMap((s) => inside(s, part));
	return schemas
		.flatMap((s) => open(s))
		.flatMap((s) => (s._zod.def.type === "object" ? Object.keys((s as z.core.$ZodObject)._zod.def.shape) : []));
}

function inside(schema: z.core.$ZodType, part: string | number): z.core.$ZodType[] {
	return open(schema).flatMap((s): z.core.$ZodType[] => {
		switch (s._zod.def.type) {
			case "object": {
				const shape = (s as z.core.$ZodObject)._zod.def.shape;
				const next = Object.hasOwn(shape, part) ? shape[part] : undefined;
				return next ? [next] : [];
			}
			case "record":
				return [(s as z.core.$ZodRecord)._zod.def.valueType];
			case "array":
				return [(s as z.core.$ZodArray)._zod.def.element];
			default:
				return [];
		}
	});
}

function open(schema: z.core.$ZodType): z.core.$ZodType[] {
	switch (schema._zod.def.type) {
		case "optional":
			return open((schema as z.core.$ZodOptional)._zod.def.innerType);
		case "union":
			return (schema as z.core.$ZodUnion)._zod.def.options.flatMap(open);
		default:
			return [schema];
	}
}
