// Runs one target on one shape, both from stdin, in a process whose heap has a limit: it ends well, or V8 ends it.
import { type Shape, textOf } from "./shapes.ts";
import { TARGETS } from "./targets.ts";

let input = "";
for await (const piece of process.stdin) input += piece;
const { target, shape } = JSON.parse(input) as { readonly target: string; readonly shape: Shape };
await TARGETS.find(({ name }) => name === target)?.run(textOf(shape));
process.exit(0);
