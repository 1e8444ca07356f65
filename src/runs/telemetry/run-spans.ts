// The open spans of one run: the run itself and its stories. A function of the events alone, in their order, so that every process that reads the
// journal has the same ones, and whoever commits the end of one knows when and how it began.
import type { Event } from "../../core/event.ts";
import { RUN_SCOPE, type RunState } from "../../core/model.ts";
import { isOver } from "../../core/query.ts";
import type { Attributes, Span } from "../../telemetry.ts";
import { oneLine, spanOf, traceOf } from "./names.ts";

interface Open {
	readonly id: string;
	readonly startedAt: number;
}

const RUN = "run";
const storyKey = (scope: string): string => `story ${scope}`;

export class RunSpans {
	readonly trace: string;
	private readonly run: string;
	private readonly workflow: string;
	private readonly open = new Map<string, Open>();
	/** Stories that were under way when the run ended: they go on if it does. */
	private interrupted: string[] = [];

	constructor({ id, createdAt, definition }: Pick<RunState, "id" | "createdAt" | "definition">) {
		this.run = id;
		this.trace = traceOf(id, createdAt);
		this.workflow = definition.name;
	}

	/** The spans that this event ends. `number`: how many events the journal has with it. */
	read(event: Event, number: number, state: RunState): Span[] {
		switch (event.event) {
			case "run_created":
				this.begin(RUN, number, event.at);
				return [];
			case "story_claimed":
				this.begin(storyKey(event.scope), number, event.at);
				return [];
			case "story_completed":
				return this.endStory(event.scope, event.at, "completed", null);
			case "story_failed":
				return this.endStory(event.scope, event.at, "failed", event.error);
			case "stories_replaced":
				return this.openStories().flatMap((scope) => this.endStory(scope, event.at, "replaced", null));
			case "run_resumed":
				this.goOn(number, event.at);
				return [];
			case "run_status_changed":
				if (isOver(event.status)) return this.endRun(event.at, event.status, event.reason, state);
				if (event.status === "running") this.goOn(number, event.at);
				return [];
			default:
				return [];
		}
	}

	/** What a part of this scope belongs to. */
	parentOf(scope: string): string | null {
		return (this.open.get(storyKey(scope)) ?? this.open.get(RUN))?.id ?? null;
	}

	attributesOf(scope: string): Attributes {
		return { "pawl.run.id": this.run, "gen_ai.workflow.name": this.workflow, ...(scope === RUN_SCOPE ? {} : { "pawl.story.id": scope }) };
	}

	private begin(key: string, number: number, at: number): void {
		this.open.set(key, { id: spanOf(this.trace, number, key), startedAt: at });
	}

	/** A run that had ended and goes on has a second span in the same trace. */
	private goOn(number: number, at: number): void {
		if (this.open.has(RUN)) return;
		this.begin(RUN, number, at);
		for (const scope of this.interrupted.splice(0)) this.begin(storyKey(scope), number, at);
	}

	private openStories(): string[] {
		return [...this.open.keys()].filter((key) => key !== RUN).map((key) => key.slice(storyKey("").length));
	}

	private endStory(scope: string, at: number, status: string, error: string | null): Span[] {
		const known = this.open.get(storyKey(scope));
		if (known === undefined) return [];
		this.open.delete(storyKey(scope));
		const failure = error === null ? {} : { "error.type": "story_failed" };
		const attributes = { ...this.attributesOf(scope), "pawl.story.status": status, ...failure };
		return [this.span(known, `story ${scope}`, at, this.open.get(RUN)?.id ?? null, attributes, error)];
	}

	private endRun(at: number, status: string, reason: string | null, state: RunState): Span[] {
		const run = this.open.get(RUN);
		if (run === undefined) return [];
		this.interrupted = this.openStories();
		const stories = this.interrupted.flatMap((scope) => this.endStory(scope, at, "interrupted", null));
		this.open.delete(RUN);
		// A person who cancels a run has not failed.
		const failed = status === "completed" || status === "cancelled" ? null : (reason ?? status);
		const { costUsd, attempts } = state.totals;
		const attributes = {
			"gen_ai.operation.name": "invoke_workflow",
			...this.attributesOf(RUN_SCOPE),
			"pawl.run.status": status,
			"pawl.run.sessions": attempts,
			...(costUsd === null ? {} : { "pawl.run.cost_usd": costUsd }),
			...(failed === null ? {} : { "error.type": status }),
		};
		return [...stories, this.span(run, `invoke_workflow ${this.workflow}`, at, null, attributes, failed)];
	}

	private span(
		{ id, startedAt }: Open,
		name: string,
		endedAt: number,
		parent: string | null,
		attributes: Attributes,
		error: string | null,
	): Span {
		return {
			trace: this.trace,
			id,
			parent,
			name,
			startedAt,
			endedAt: Math.max(startedAt, endedAt),
			attributes,
			events: [],
			error: error === null ? null : oneLine(error),
		};
	}
}
