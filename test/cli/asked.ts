// A workflow of one step of work and questions to a person: these before the work, one after it.
export const askedWorkflow = (before: readonly string[] = []): Record<string, string> => ({
	"asked/workflow.yml": `name: asked
title: A person is asked
resume: yes
inputs: {request: {reader: request, workspace: tree}}
roles: {agent: {description: Works, can: [run, commit], report: {notes: summary}}}
steps: [${[...before, "work", "agree"].join(", ")}]
types:
${before.map((name) => `  ${name}: {description: May it start?, approval: person, on: {approved: next, rejected: fail run}}\n`).join("")}  work: {description: Work, role: agent, timeout: 1m, writes: any}
  agree: {description: Is it good?, approval: person, on: {approved: next, rejected: fail run}}
on:
  done: next
  agent_error|timeout|stalled|permission|context_too_long|boundary_violation|unreadable|workspace_error|auth: {rollback: failures, fail: run}
  lost: {rollback: failures, insert: [same], max: 3/step, exhausted: {rollback: failures, fail: run}}
  rate_limited|overloaded: {rollback: failures, wait: time}
`,
	"asked/prompts/work.md": "Work: {{story_description}}\n",
});
