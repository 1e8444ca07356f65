// A question that waits for a person: what is asked, and the answers that are possible.
import { useSignal } from "@preact/signals";
import type { Answer, Question } from "../api/types.ts";
import { flat, plain } from "../plain.ts";
import { hrefOf } from "../route.ts";
import { act } from "../state/act.ts";
import { keyOf } from "../state/notify.ts";
import { about } from "../state/now.ts";
import { answering, rejecting } from "../state/rejecting.ts";
import { ago, statusWord } from "../words/words.ts";
import { Fold } from "./fold.tsx";
import { LazyDiff } from "./lazy-diff.tsx";
import { Output } from "./output.tsx";
import { stepName } from "./reject-dialog.tsx";

const NAMES: Readonly<Record<Answer, string>> = { answer: "Answer", approve: "Approve", reject: "Reject", retry: "Retry" };

/** `inRun`: the screen already says which run it is. */
export function QuestionList({ questions, inRun = false }: { readonly questions: readonly Question[]; readonly inRun?: boolean }) {
	if (questions.length === 0) return null;
	return (
		<ul class="cards" aria-label="Questions">
			{questions.map((question) => (
				<QuestionItem key={keyOf(question)} question={question} inRun={inRun} />
			))}
		</ul>
	);
}

function QuestionItem({ question, inRun }: { readonly question: Question; readonly inRun: boolean }) {
	const busy = useSignal(false);
	const { run, story, ask, actions } = question;
	const send = async (action: Answer): Promise<void> => {
		busy.value = true;
		const body = action === "retry" ? (story === null ? { ask } : { story, ask }) : { step: stepName(question), ask };
		// A question that was answered goes away; a refused one may be answered again.
		if (!(await act(run, action, body))) busy.value = false;
	};
	const answer = (action: Answer): void => {
		if (action === "reject") rejecting.value = question;
		else if (action === "answer") answering.value = question;
		else void send(action);
	};
	const to = hrefOf(story === null ? { screen: "run", run, tab: "stories" } : { screen: "story", run, story });
	return (
		<li class="card question" data-item={keyOf(question)}>
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
						class={action === actions[0] ? "main" : ""}
						data-key={action}
						disabled={busy.value}
						onClick={() => answer(action)}
					>
						{action === "approve" && actions.includes("answer") ? "Let it decide" : (NAMES[action] ?? action)}
					</button>
				))}
			</div>
		</li>
	);
}
