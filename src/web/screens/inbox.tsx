// Inbox: everything over all runs that waits for a person.
import { QuestionList } from "../parts/question.tsx";
import { inbox } from "../state/live.ts";
import { allowNotifications, permission } from "../state/notify.ts";

export function InboxScreen() {
	const all = inbox.value;
	return (
		<>
			<div class="title-row">
				<h1>Inbox</h1>
				{permission.value === "default" && (
					<button type="button" class="quiet" onClick={allowNotifications}>
						Notify me of new questions
					</button>
				)}
			</div>
			{all === null ? (
				<p class="soft">loading…</p>
			) : all.length === 0 ? (
				<div class="empty">
					<p class="strong">Nothing waits for you.</p>
					<p class="soft">When a run needs a decision, it is asked here.</p>
				</div>
			) : (
				<QuestionList questions={all} />
			)}
		</>
	);
}
