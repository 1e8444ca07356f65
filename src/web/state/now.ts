// The present, for what counts up or down. It stands still while the page is hidden.
import { computed, signal } from "@preact/signals";

export const now = signal(Date.now());

/** The same, every ten seconds: enough for "3 min ago", and long lists are not drawn again every second. */
export const about = computed(() => Math.floor(now.value / 10_000) * 10_000);

setInterval(() => {
	if (!document.hidden) now.value = Date.now();
}, 1_000);
