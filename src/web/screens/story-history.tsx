// What changed a story on its way: edits of its plan with what was there before, decisions of people, and work that was put back.
import type { Decision, Edit, StoryDetail } from "../api/types.ts";
import { jsonText, plain } from "../plain.ts";
import { clock } from "../words/words.ts";

export function History({ detail }: { readonly detail: StoryDetail }) {
	return (
		<>
			{detail.edits.length > 0 && (
				<section class="group" aria-labelledby="edits">
					<h2 id="edits">
						Edits of the plan <span class="soft">{detail.edits.length}</span>
					</h2>
					<ul class="cards">
						{detail.edits.map((edit) => (
							<EditItem key={`${edit.at} ${edit.step} ${edit.operation} ${edit.target_step_id}`} edit={edit} />
						))}
					</ul>
				</section>
			)}
			{detail.decisions.length > 0 && (
				<section class="group" aria-labelledby="decisions">
					<h2 id="decisions">Decisions</h2>
					<ul class="plain-list">
						{detail.decisions.map((decision) => (
							<DecisionItem key={`${decision.at} ${decision.step}`} decision={decision} />
						))}
					</ul>
				</section>
			)}
			{detail.put_back.length > 0 && (
				<section class="group" aria-labelledby="put-back">
					<h2 id="put-back">Work that was put back</h2>
					<p class="soft">pawl saved it before it cleaned up:</p>
					<ul class="plain-list">
						{detail.put_back.map((file) => (
							<li key={file} class="mono said" title={plain(file)}>
								{plain(file).replace(/^.*\/(?=\.pawl\/)/, "")}
							</li>
						))}
					</ul>
				</section>
			)}
		</>
	);
}

function EditItem({ edit }: { readonly edit: Edit }) {
	const before = textOf(edit.before ?? edit.old_description);
	const after = textOf(edit.after ?? edit.new_description) ?? newSteps(edit);
	return (
		<li class="card said">
			<p>
				<span class="soft number">{clock(edit.at)}</span> <span class="mono">{edit.step}</span>{" "}
				{edit.accepted ? (
					<span class="strong">{`${edit.operation?.replaceAll("_", " ") ?? "edit"} ${edit.target_step_id ?? ""}`.trim()}</span>
				) : (
					<span class="bad-text">edit rejected</span>
				)}
				: {plain(edit.reason)}
			</p>
			{(before !== null || after !== null) && (
				<div class="before-after">
					<div>
						<p class="soft">before</p>
						<pre class="output">{before === null ? "–" : plain(before)}</pre>
					</div>
					<div>
						<p class="soft">after</p>
						<pre class="output">{after === null ? "–" : plain(after)}</pre>
					</div>
				</div>
			)}
		</li>
	);
}

const newSteps = ({ new_steps: steps = [] }: Edit): string | null =>
	steps.length === 0 ? null : steps.map((one) => `${one.id} ${one.type}: ${one.description}`).join("\n");

/** A list of ids on lines, a text as it is, anything else as JSON. */
function textOf(value: unknown): string | null {
	if (value === undefined || value === null) return null;
	if (typeof value === "string") return value;
	if (Array.isArray(value) && value.every((one) => typeof one === "string")) return value.join("\n");
	return jsonText(value);
}

function DecisionItem({ decision }: { readonly decision: Decision }) {
	return (
		<li class="said">
			<span class="soft number">{clock(decision.at)}</span> <span class="mono">{decision.step}</span>{" "}
			<span class="strong">{decision.verdict}</span>
			{decision.by !== null && (
				<span class="soft">
					{" "}
					by {plain(decision.by.user)} ({decision.by.how})
				</span>
			)}
			{decision.reason !== "" && `: ${plain(decision.reason)}`}
		</li>
	);
}
