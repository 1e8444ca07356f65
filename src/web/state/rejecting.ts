// The question that a person is about to reject. It is kept apart from the list of questions: somebody else may answer it meanwhile, and
// what was typed must not vanish.
import { signal } from "@preact/signals";
import type { Question } from "../api/types.ts";

export const rejecting = signal<Question | null>(null);
