// Whole runs of ralph in this process, with agents of one's own.
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { BUILT_IN } from "../../engine/testing/built-in.suite.ts";
import type { Cast } from "../../engine/testing/cast.suite.ts";
import { type Harness, harness } from "../../engine/testing/harness.suite.ts";

export const FOLDER = "ralph/runs/demo";
export const ralph = BUILT_IN["ralph"] ?? assert.fail("there is no ralph");
export const started = async (t: TestContext, cast: Cast, more: Readonly<Record<string, string>> = {}): Promise<Harness> =>
	harness(t, { ...ralph, files: { ...ralph.files, ...more }, cast: { ...ralph.cast, ...cast } });
export const read = (h: Harness, name: string): string => h.site.user.files.read(`${FOLDER}/${name}`) ?? "";
export const roles = (h: Harness): string => h.prompts.map((p) => p.role[0]?.toUpperCase()).join("");
export const remarks = async (h: Harness): Promise<string> =>
	(await h.events()).flatMap((e) => (e.event === "remarked" ? [e.text] : [])).join("\n");
