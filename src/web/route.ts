// Which screen is shown: every screen has an address of its own, so that a reload, the way back and a second tab work.
import { signal } from "@preact/signals";

export const RUN_TABS = ["stories", "graph", "timeline", "cost", "journal"] as const;
export type RunTab = (typeof RUN_TABS)[number];

export type Route =
	| { readonly screen: "runs" }
	| { readonly screen: "inbox" }
	| { readonly screen: "new" }
	| { readonly screen: "machines" }
	| { readonly screen: "run"; readonly run: string; readonly tab: RunTab }
	| { readonly screen: "story"; readonly run: string; readonly story: string }
	| { readonly screen: "session"; readonly run: string; readonly story: string; readonly step: string }
	| { readonly screen: "nowhere" };

export function routeOf(pathname: string): Route {
	const parts = pathname.split("/").filter((part) => part !== "");
	let names: string[];
	try {
		names = parts.map(decodeURIComponent);
	} catch {
		return { screen: "nowhere" };
	}
	const [first, run, second, third, fourth, fifth] = names;
	if (first === undefined) return { screen: "runs" };
	if (first === "inbox" && run === undefined) return { screen: "inbox" };
	if (first === "machines" && run === undefined) return { screen: "machines" };
	if (first === "new" && run === undefined) return { screen: "new" };
	if (first !== "runs") return { screen: "nowhere" };
	if (run === undefined) return { screen: "runs" };
	if (second === undefined) return { screen: "run", run, tab: "stories" };
	if (second === "stories" && third !== undefined)
		return fourth === "steps" && fifth !== undefined
			? { screen: "session", run, story: third, step: fifth }
			: { screen: "story", run, story: third };
	const tab = RUN_TABS.find((one) => one === second);
	return tab === undefined ? { screen: "nowhere" } : { screen: "run", run, tab };
}

export function hrefOf(route: Route): string {
	const path = (...parts: readonly string[]) => `/${parts.map(encodeURIComponent).join("/")}`;
	switch (route.screen) {
		case "run":
			return route.tab === "stories" ? path("runs", route.run) : path("runs", route.run, route.tab);
		case "story":
			return path("runs", route.run, "stories", route.story);
		case "session":
			return path("runs", route.run, "stories", route.story, "steps", route.step);
		case "inbox":
		case "new":
		case "machines":
			return path(route.screen);
		default:
			return "/";
	}
}

export const route = signal<Route>(routeOf(location.pathname));

const read = (): void => {
	route.value = routeOf(location.pathname);
};

export function goTo(to: Route): void {
	history.pushState(null, "", hrefOf(to));
	read();
}

/** Links within the page change the screen without loading it again; a click that asks for another tab is the browser's. */
export function followLinks(): void {
	addEventListener("popstate", read);
	document.addEventListener("click", (event) => {
		if (event.defaultPrevented || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
		const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>("a[href]") : null;
		if (link === null || link.origin !== location.origin || link.target !== "") return;
		event.preventDefault();
		goTo(routeOf(link.pathname));
	});
}
