// The rows of the routing matrix of document 004, in its order: what is signalled in which phase, which route of workflows/gated answers
// it, and what is dispatched next. The tests walk along them; docs/gated-routes.md is written from them.
import type { Row } from "./matrix.ts";
import { CODE_ROWS } from "./rows-of-code.ts";
import { SPEC_ROWS } from "./rows-of-specs.ts";

export const ROWS: readonly Row[] = [...SPEC_ROWS, ...CODE_ROWS];
