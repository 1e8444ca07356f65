// What was seen of a checkout a moment ago and still holds, because pawl has done nothing there since: a second look would only cost a process.
import { hasWritten } from "../../files/written.ts";
import type { Point } from "../../workspace.ts";
import { isPrivate } from "../git/status.ts";
import { readHead } from "./checkout-state.ts";
import type { Look } from "./own-index.ts";

const STILL_MS = 100;

export type LookOnBranch = Look & { readonly commit: string };

/** When a look began, and when it was over. */
interface Moment {
	readonly looked: number;
	readonly at: number;
}

export class Recent {
	private readonly checkout: { readonly path: string; readonly gitDir: string; readonly branch: string };
	private end: (Moment & { readonly point: Point }) | null = null;
	private look: (Moment & { readonly look: LookOnBranch }) | null = null;

	constructor(checkout: { readonly path: string; readonly gitDir: string; readonly branch: string }) {
		this.checkout = checkout;
	}

	/** Whatever pawl does in the checkout. */
	forget(): void {
		this.end = null;
		this.look = null;
	}

	/** A step ended here, and the next one begins where it ended. */
	ended(point: Point, looked: number, at = performance.now()): void {
		this.end = { point, looked, at };
	}

	/** Its changes were looked at, and may be kept. */
	saw(look: LookOnBranch, looked: number): void {
		this.look = { look, looked, at: performance.now() };
	}

	get point(): Point | null {
		return this.end !== null && this.isStill(this.end) ? this.end.point : null;
	}

	get seen(): { readonly look: LookOnBranch; readonly looked: number } | null {
		return this.look !== null && this.isStill(this.look) ? this.look : null;
	}

	/** What pawl itself wrote since must be in the point: the step that begins there would be charged with it. */
	private isStill({ at, looked }: Moment): boolean {
		const { path, gitDir, branch } = this.checkout;
		return (
			performance.now() - at < STILL_MS &&
			readHead(gitDir) === `ref: refs/heads/${branch}` &&
			!hasWritten(path, looked, (name) => !isPrivate(name) && !name.startsWith(".git/"))
		);
	}
}
