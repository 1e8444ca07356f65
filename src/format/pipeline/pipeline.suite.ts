// Small pipelines for tests: plan → implement ⟳ verify, with parts that can be exchanged.
import { type Loaded, parseDefinition } from "../../definition/parse.ts";
import { pipelineSpelling } from "./spelling.ts";

export const MINI = `id: mini
name: Mini
version: 1
agents:
  - id: planner
    role: analysis
  - id: developer
    name: Dev
    role: coding
    model: big
    timeoutSeconds: 60
    workspace:
      baseDir: agents/developer
      files: {AGENTS.md: ../shared/AGENTS.md}
  - id: verifier
    role: verification
steps:
  - id: plan
    agent: planner
    input: "PLAN {{task}}"
    max_retries: 1
  - id: implement
    agent: developer
    type: loop
    loop:
      over: stories
      completion: all_done
      verify_each: true
      verify_step: verify
    input: "BUILD {{current_story}} {{verify_feedback}}"
    max_retries: 3
  - id: verify
    agent: verifier
    input: "VERIFY {{current_story}} {{changes}}"
  - id: test
    agent: verifier
    input: TEST
    on_fail: {retry_step: implement, max_retries: 2, on_exhausted: {escalate_to: human}}
`;

export const parse = (text: string): Loaded =>
	parseDefinition(text, {
		file: "workflow.yml",
		spellings: [pipelineSpelling],
		readPrompt: () => ({ problem: "no prompts" }),
		readAgentFile: (path) => (path.endsWith("missing.md") ? { problem: `\`${path}\` does not exist` } : { text: `# ${path} {{task}}\n` }),
	});
