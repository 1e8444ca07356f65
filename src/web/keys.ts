// The keys: j k move between items, Enter opens, g r and g i lead to a screen, a and r answer. Never while somebody types, and never while
// a dialog is open.
import { signal } from "@preact/signals";
import { goTo } from "./route.ts";
import { dismissLast } from "./state/alerts.ts";

export const helpOpen = signal(false);

export const KEYS: readonly (readonly [string, string])[] = [
	["j", "next item"],
	["k", "previous item"],
	["Enter", "open the item"],
	["g r", "runs"],
	["g i", "inbox"],
	["a", "approve the item"],
	["r", "reject the item"],
	["/", "search, where there is something to search"],
	["?", "these keys"],
	["Escape", "close"],
];

const CHORD_MS = 1_500;
let chordAt = Number.NEGATIVE_INFINITY;

export function listenToKeys(): void {
	document.addEventListener("keydown", (event) => {
		if (event.ctrlKey || event.altKey || event.metaKey || isTyping(event.target) || document.querySelector("dialog[open]") !== null) return;
		if (press(event.key)) event.preventDefault();
	});
}

const isTyping = (target: EventTarget | null): boolean =>
	target instanceof HTMLElement &&
	(target.isContentEditable || target.matches("textarea, select, input:not([type=checkbox], [type=radio])"));

/** True if the key meant something. */
function press(key: string): boolean {
	const chord = performance.now() - chordAt < CHORD_MS;
	chordAt = Number.NEGATIVE_INFINITY;
	if (chord && (key === "r" || key === "i")) {
		goTo({ screen: key === "r" ? "runs" : "inbox" });
		return true;
	}
	switch (key) {
		case "g":
			chordAt = performance.now();
			return true;
		case "j":
		case "k":
			return step(key === "j" ? 1 : -1);
		case "a":
			return answer("approve");
		case "r":
			return answer("reject");
		case "/":
			return focus(document.querySelector<HTMLElement>("main [type=search]"));
		case "?":
			helpOpen.value = true;
			return true;
		case "Escape":
			return dismissLast();
		default:
			return false;
	}
}

const items = (): HTMLElement[] => [...document.querySelectorAll<HTMLElement>("main [data-item]")];
const currentItem = (): HTMLElement | null => document.activeElement?.closest<HTMLElement>("[data-item]") ?? null;
/** Where one was: an item that changes its group loses the focus. */
let last: string | undefined;

function step(by: 1 | -1): boolean {
	const all = items();
	const here = currentItem() ?? all.find((item) => item.dataset["item"] === last) ?? null;
	const from = here === null ? -1 : all.indexOf(here);
	const next = all[from < 0 ? 0 : Math.max(0, Math.min(all.length - 1, from + by))];
	last = next?.dataset["item"];
	return focus(next?.querySelector<HTMLElement>("[data-open]") ?? next ?? null);
}

function focus(element: HTMLElement | null): boolean {
	if (element === null) return false;
	element.focus({ preventScroll: true });
	(element.closest("[data-item]") ?? element).scrollIntoView({ block: "nearest" });
	return true;
}

function answer(action: string): boolean {
	const button = currentItem()?.querySelector<HTMLButtonElement>(`button[data-key="${action}"]:not(:disabled)`);
	button?.click();
	return button !== undefined && button !== null;
}
