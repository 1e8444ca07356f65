// The agent CLIs that pawl knows by name.
import type { Adapter } from "./adapter.ts";
import { claude } from "./claude.ts";
import { codex } from "./codex.ts";
import { gemini } from "./gemini.ts";
import { opencode } from "./opencode.ts";

export const KNOWN_AGENTS: Readonly<Record<string, Adapter>> = { claude, codex, opencode, gemini };
