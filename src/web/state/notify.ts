// A notification of the browser for a question that is new, where the person has allowed it.
import { signal } from "@preact/signals";
import type { Question } from "../api/types.ts";
import { plain } from "../plain.ts";

export const permission = signal<string>(typeof Notification === "undefined" ? "unsupported" : Notification.permission);

export function allowNotifications(): void {
	Notification.requestPermission().then(
		(said) => {
			permission.value = said;
		},
		() => {},
	);
}

/** Not for those that were already there when the page opened, nor while the page is being looked at. */
export function tellOf(before: readonly Question[] | null, now: readonly Question[]): void {
	if (before === null || permission.peek() !== "granted" || !document.hidden) return;
	const known = new Set(before.map(keyOf));
	for (const question of now)
		if (!known.has(keyOf(question)))
			new Notification(`pawl: ${plain(question.title)}`, { body: plain(question.reason).slice(0, 300), tag: keyOf(question) });
}

export const keyOf = ({ run, story, step, ask }: Question): string => [run, story ?? "", step, ask].join(" ");
