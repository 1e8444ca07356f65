// Asks why a question is answered with no, or for the words that it wants.
import type { Question } from "../api/types.ts";
import { flat } from "../plain.ts";
import { act } from "../state/act.ts";
import { inbox } from "../state/live.ts";
import { keyOf } from "../state/notify.ts";
import { answering, rejecting } from "../state/rejecting.ts";
import { AskText } from "./ask-text.tsx";

export function RejectDialog({ question }: { readonly question: Question }) {
	const { run, story, title, ask } = question;
	const open = inbox.value?.some((one) => keyOf(one) === keyOf(question)) ?? true;
	return (
		<AskText
			title={`Reject ${story ?? flat(title)}`}
			label="Reason"
			hint={open ? "The agent that goes on with it reads this." : "Somebody has answered this question meanwhile."}
			does="Reject"
			bad
			onClose={() => (rejecting.value = null)}
			onText={(reason) => act(run, "reject", { step: stepName(question), ask, reason })}
		/>
	);
}

export function AnswerDialog({ question }: { readonly question: Question }) {
	const { run, story, title, reason, ask } = question;
	return (
		<AskText
			title={`Answer ${story ?? flat(title)}`}
			label="Answer"
			hint={reason}
			does="Answer"
			onClose={() => (answering.value = null)}
			onText={(text) => act(run, "answer", { step: stepName(question), ask, text })}
		/>
	);
}

/** How the command line names it; two questions of a run need that. */
export const stepName = ({ story, step }: Question): string => (story === null ? step : `${story}/${step}`);
