// The question that a person is about to reject, or to answer in words. It is kept apart from the list of questions: somebody else may answer it meanwhile, and
// what was typed must not vanish.
import { signal } from "@preact/signals";
import type { Question } from "../api/types.ts";

export const rejecting = signal<Question | null>(null);
export const answering = signal<Question | null>(null);
