// The files that `pawl workflow new` writes.

/** `schema`: where the schema of a workflow.yml is, from the workflow's folder. */
export const newWorkflow = (name: string, schema: string): string => `# yaml-language-server: $schema=${schema}
# What is left out here has a default: \`pawl workflow show ${name}\` prints all of it.
name: ${name}
# The steps that each story goes through, in this order. A request in plain words is one story.
story: [plan, code, review]
types:
  # A step with a prompt is one fresh session of your agent. It may write nothing: pawl looks afterwards.
  plan: {prompt: Read the code and write a plan of at most ten lines., writes: none, model: strong}
  # pawl runs these checks of pawl.yml after the step; "*" is all of them. If one fails, the agent gets its output and tries again.
  code: {prompt: Carry out the plan. Add or adapt tests., checks: ["*"]}
  review:
    prompt: Read the diff of this story against the plan. Look for what is missing and for what nobody asked for.
    writes: none
    model: strong
    # Which answers count: the agent is told to end with \`VERDICT: pass\` or \`VERDICT: rework\`.
    report: {notes: summary, signals: {done: {VERDICT: pass}, rework: {VERDICT: rework}}}
    # What happens then: back to \`code\`, at most twice a story; then the story fails.
    on:
      rework: {goto: code, max: 2/story, exhausted: fail}
`;

/** `steps`: those of the parent that agents do; `main`: the one that most people change; `hasFiles`: its prompts are files. */
export const newExtension = (
	name: string,
	parent: string,
	steps: readonly string[],
	main: string,
	hasFiles: boolean,
	schema: string,
): string => `# yaml-language-server: $schema=${schema}
# \`${parent}\`, with changes.${hasFiles ? ` A file prompts/STEP.md beside this one replaces that prompt of \`${parent}\`.` : ""}
# Its steps: ${steps.join(", ")}
name: ${name}
extends: ${parent}
# Take steps out:
# without: [STEP]
# Change a step, key by key, and add one:
# types:
#   ${main}: {model: strong}
#   security:
#     prompt: Look at the work so far for injection, missing authorization and secrets. Mend what you find.
#     after: ${main}
`;
