// Words in backticks that end a criterion and so count as its command, although there is no program of that name: mostly names of things, such as
// `README`. Found before the run begins, because a command that cannot be started makes it wait for a person.
import { readCriteria } from "../../core/criterion.ts";
import { findExecutable } from "../../process.ts";
import type { TaskDocument } from "./task-document.ts";

export interface NotProgram {
	readonly task: string;
	readonly word: string;
}

/** One word only: with arguments, or a path that a task may still make, it is meant as a command. */
const WORD = /^[^\s/]+$/;

export const notPrograms = ({ tasks }: Pick<TaskDocument, "tasks">, cwd: string, path: string): readonly NotProgram[] =>
	tasks.flatMap(({ id, criteria }) =>
		readCriteria(criteria)
			.flatMap(({ commands }) => commands)
			.filter((word) => WORD.test(word) && !BUILT_IN.includes(word) && findExecutable(word, cwd, path) === null)
			.map((word) => ({ task: id, word })),
	);

/** Of the shell that runs it. */
const BUILT_IN = ["true", "false", "test", ":"];

export const notProgramText = ({ task, word }: NotProgram): string =>
	`\`${word}\` ends a criterion of task ${task}, so pawl runs it, but there is no such program: if it is only a name, let words follow it`;
