// The template language of prompts: {{name}} is replaced by its value. No code, no conditions, and a single pass: values are not
// expanded again, so text from outside cannot reach other values.

// Anything between double braces counts as a name, so that loading a workflow reports malformed ones as unknown.
const SLOT = /\{\{([^{}\n]{1,100})\}\}/g;

/** The names that a text uses, each once, in order. */
export function templateNames(text: string): string[] {
	const names = new Set<string>();
	for (const [, name = ""] of text.matchAll(SLOT)) names.add(name.trim());
	return [...names];
}

/** The text with its names replaced; a name without a value becomes empty. */
export function renderTemplate(text: string, values: Readonly<Record<string, string>>): string {
	// A replacer function, because $& and the like have a meaning in a replacement string.
	return text.replace(SLOT, (_, name: string) => (Object.hasOwn(values, name.trim()) ? (values[name.trim()] ?? "") : ""));
}

/** Variables of every prompt, besides the fields of its run and story. */
export const PROMPT_VARIABLES = [
	"instructions",
	"run_id",
	"request",
	"story_id",
	"story_title",
	"story_description",
	"story_list",
	"acceptance_criteria",
	"criteria_names",
	"step_id",
	"step_type",
	"step_description",
	"attempt",
	"time_limit",
	"boundaries",
	"editing",
	"edit_file",
	"notes",
	"scratch_global",
	"scratch_story",
	"scratch_global_file",
	"scratch_story_file",
	"shared_dir",
	"lint_command",
	"test_command",
	"how_to_check",
	"worktree",
	"branch",
	"base_branch",
	"base_commit",
	"work_range",
	"work_so_far",
	"feedback",
	"earlier_findings",
	"steer",
	"agent_files",
	"surroundings",
	"task",
	"repo",
	"progress",
	"current_story",
	"current_story_id",
	"current_story_title",
	"completed_stories",
	"stories_remaining",
	"has_frontend_changes",
] as const;
export type PromptVariable = (typeof PROMPT_VARIABLES)[number];
