// A question that waits for a person: what is asked, and the answers that are possible.
import { useSignal } from "@preact/signals";
import type { Answer, Question } from "../api/types.ts";
import { flat, plain } from "../plain.ts";
import { hrefOf } from "../route.ts";
import { act } from "../state/act.ts";
import { about } from "../state/now.ts";
import { ago, statusWord } from "../words/words.ts";
import { AskText } from "./ask-text.tsx";
import { Fold } from "./fold.tsx";
import { LazyDiff } from "./lazy-diff.tsx";
import { Output } from "./output.tsx";

const NAMES: Readonly<Record<Answer, string>> = { approve: "Approve", reject: "Reject", retry: "Retry" };

/** How the command line names it; two questions of a run need that. */
const stepName = ({ story, step }: Question): string => (story === null ? step : `${story}/${step}`);

export function QuestionItem({ question, inRun = false }: { readonly question: Question; readonly inRun?: boolean }) {
	const busy = useSignal(false);
	const rejecting = useSignal(false);
	const { run, story, ask, actions } = question;
	const send = async (action: Answer, more: object = {}): Promise<boolean> => {
		busy.value = true;
		const body = action === "retry" ? (story === null ? { ask } : { story, ask }) : { step: stepName(question), ask, ...more };
		const taken = await act(run, action, body);
		// A question that was answered goes away; a refused one may be answered again.
		if (!taken) busy.value = false;
		return taken;
	};
	const answer = (action: Answer): void => {
		if (action === "reject") rejecting.value = true;
		else void send(action);
	};
	const to = hrefOf(story === null ? { screen: "run", run, tab: "stories" } : { screen: "story", run, story });
	return (
		<li class="card question" data-item>
			<div class="question-head">
				<a data-open href={to} class="strong said">
					{inRun ? `${story ?? "The run"} asks` : flat(question.title)}
				</a>
				<span class="soft">
					{[story === null || inRun ? null : story, statusWord(question.type), inRun ? null : question.workflow]
						.filter((part) => part !== null)
						.join(" · ")}
					{" · "}
					{ago(question.since, about.value)}
				</span>
			</div>
			<p class="said asked">{plain(question.reason)}</p>
			{question.about?.notes && (
				<Fold name="Notes" note={`of ${statusWord(question.about.type)}`}>
					{() => <Output text={question.about?.notes ?? ""} />}
				</Fold>
			)}
			{story !== null && (
				<Fold name="Changes" note="what it has done so far">
					{() => <LazyDiff run={run} story={story} />}
				</Fold>
			)}
			<div class="actions">
				{actions.map((action) => (
					<button
						type="button"
						key={action}
						class={action === "approve" ? "main" : ""}
						data-key={action}
						disabled={busy.value}
						onClick={() => answer(action)}
					>
						{NAMES[action] ?? action}
					</button>
				))}
			</div>
			{rejecting.value && (
				<AskText
					title={`Reject ${story ?? flat(question.title)}`}
					label="Reason"
					hint="The agent that goes on with it reads this."
					does="Reject"
					bad
					onClose={() => (rejecting.value = false)}
					onText={(reason) => send("reject", { reason })}
				/>
			)}
		</li>
	);
}
