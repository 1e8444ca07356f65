// G-19: a re-plan is a plan: what it drops, adds or weakens is said and needs the approval that the first plan needed. Only `phased` plans
// anew.
import { alsoIn } from "./also-in.ts";

alsoIn("G-19", "src/core/decide/replace.test.ts");
