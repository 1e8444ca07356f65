// Models for the tests of the view: a scripted world as the view sees it.
import type { World } from "../../core/testing/world.suite.ts";
import { runNow } from "../../runs/look/watched-run.ts";
import { paint } from "../text/text.ts";
import { type Model, type Size, START, type Ui } from "./model.ts";
import { view } from "./view.ts";

export const SMALL: Size = { columns: 80, rows: 24 };
export const LARGE: Size = { columns: 200, rows: 60 };

export interface More {
	readonly ui?: Partial<Ui>;
	readonly output?: readonly string[];
	readonly driven?: boolean;
	readonly own?: Model["own"];
	readonly later?: number;
}

export function modelOf(world: World, { ui = {}, output = [], driven, own = null, later = 3_000 }: More = {}): Model {
	const now = world.at + later;
	const run = runNow(world.state, world.events, driven ?? world.state.status === "running", now);
	return { run, output, ui: { ...START, ...ui }, now, own };
}

/** The view without colours. */
export const shown = (model: Model, size: Size = SMALL): string[] => view(model, size, paint(false)).map((line) => line.trimEnd());
