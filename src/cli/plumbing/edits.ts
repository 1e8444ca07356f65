// pawl edits validate FILE --run RUN --story STORY
import { Command } from "commander";
import type { EditDecision } from "../../core/edit/edit.ts";
import { judgeEdits } from "../../runs/attempt/edits.ts";
import { Refusal } from "../../runs/refusal.ts";
import type { Context } from "../context.ts";
import { document } from "../text/document.ts";

export function command(c: Context): Command {
	const edits = new Command("pawl edits").description("validate an edit file of an agent");
	edits
		.command("validate")
		.description("judge an edit file as the engine would at the end of the story's current (or next) step; changes nothing")
		.argument("<file>", "a JSON array of operations")
		.option("--run <run>", "an id, a unique prefix, or latest", "latest")
		.requiredOption("--story <story>", "the story whose steps it edits")
		.option("--json", "as one JSON document")
		.action(async (file: string, flags: { run: string; story: string; json?: boolean }) => {
			const { decision, ...about } = await judgeEdits(c, { run: flags.run, story: flags.story, file });
			if (flags.json) c.out(document({ ...about, ...decision }));
			const step = `${about.step} (${about.type})`;
			if (!decision.ok)
				throw new Refusal(
					"invalid",
					`the edits would be rejected as a whole, for ${step} of ${about.story}:\n${decision.reasons.map((r) => `- ${r}`).join("\n")}`,
				);
			if (!flags.json) c.out(acceptedText(decision, step));
		});
	return edits;
}

function acceptedText(decision: Extract<EditDecision, { ok: true }>, step: string): string {
	const lines = decision.edits.map(({ details }) => {
		const made = (details.new_steps ?? []).map((s) => `${s.id} ${s.type}`).join(", ");
		return `  ${details.operation} ${details.target_step_id ?? ""}${made === "" ? "" : ` → ${made}`}: ${details.reason}`;
	});
	if (lines.length === 0) return "it contains no operation: nothing would change\n";
	return `accepted, at the end of ${step}:\n${lines.join("\n")}\nthe steps would be: ${decision.edits.at(-1)?.order.join(", ") ?? ""}\n`;
}
