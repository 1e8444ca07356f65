// Every reader of foreign text that is fuzzed.
import type { Target } from "./target.ts";
import { documents } from "./targets/documents.ts";
import { issues } from "./targets/issues.ts";
import { reports } from "./targets/reports.ts";
import { requests } from "./targets/requests.ts";
import { streams } from "./targets/streams.ts";

export const TARGETS: readonly Target[] = [...reports, ...documents, ...issues, ...streams, ...requests];
