// Where the package lies. This file is one level below it, in src/ and in the built dist/ alike, where all code is flat: whatever looks for
// a file of the package starts here, and never from its own place.
import { dirname, join } from "node:path";

const PACKAGE_ROOT = dirname(import.meta.dirname);

export const packagePath = (...names: readonly string[]): string => join(PACKAGE_ROOT, ...names);
