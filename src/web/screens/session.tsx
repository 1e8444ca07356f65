// Session: what the agent of a step says and does, as it comes; raw on demand; searchable; it follows its end until one scrolls away.
import { useSignal } from "@preact/signals";
import { workerText } from "../../core/assign/worker-text.ts";
import type { RunView, StepView } from "../api/types.ts";
import { Badge } from "../parts/badge.tsx";
import { Crumbs } from "../parts/crumbs.tsx";
import { Fact, TokensFact } from "../parts/fact.tsx";
import { LogView } from "../parts/log-view.tsx";
import { SkipStep } from "../parts/skip-step.tsx";
import { StepName } from "../parts/step-name.tsx";
import { flat, plain } from "../plain.ts";
import { useLog } from "../state/use-log.ts";
import { useRun } from "../state/use-run.ts";
import { moneyText, span } from "../words/words.ts";

interface SessionProps {
	readonly run: string;
	/** `run` for the run's own steps. */
	readonly story: string;
	readonly step: string;
}

export function SessionScreen({ run, story, step: id }: SessionProps) {
	const { value } = useRun(run).value;
	const step = value === null ? undefined : stepOf(value, story, id);
	const goesOn = value?.driven === true && step?.status === "in_progress";
	const log = useLog(run, story, id, goesOn);
	const raw = useSignal(false);
	return (
		<>
			<Crumbs run={run} title={value?.title ?? null} {...(story === "run" ? {} : { story })} />
			<h1 class="said">{step === undefined ? <span class="mono id">{id}</span> : <StepName step={step} />}</h1>
			{step !== undefined && <StepHead run={run} story={story} step={step} />}
			<div class="session-log">
				<LogView log={log} follows={goesOn} raw={raw} />
			</div>
		</>
	);
}

const stepOf = (run: RunView, story: string, id: string): StepView | undefined => {
	if (story === "run") return run.steps.find((step) => step.id === id);
	const own = run.stories.find((one) => one.id === story);
	return own?.steps.find((step) => step.id === id) ?? (own?.current_step?.id === id ? own.current_step : undefined);
};

function StepHead({ run, story, step }: { readonly run: string; readonly story: string; readonly step: StepView }) {
	return (
		<div class="run-head">
			<div class="run-line">
				<Badge status={step.status} />
				<span class="soft said">{flat(step.description)}</span>
				{step.status === "pending" && <SkipStep run={run} story={story} step={step.id} />}
			</div>
			{step.error !== null && <p class="said reason">{plain(step.error)}</p>}
			<dl class="facts">
				<Fact name="Attempt">{step.tries}</Fact>
				{step.agent !== null && <Fact name="Agent">{workerText(step)}</Fact>}
				<Fact name="Elapsed">{span(step.elapsed_ms)}</Fact>
				<Fact name="Cost">{moneyText(step.cost_usd)}</Fact>
				<TokensFact of={step} />
			</dl>
		</div>
	);
}
