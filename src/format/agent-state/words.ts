// The words of `agent-state.json`, apart from its schema, so that code which only writes it need not load the schema.

export const CHECK_TYPES = ["pre_task", "post_task", "on_demand"] as const;
export const CONFLICT_TYPES = ["architecture", "dependency", "api", "security", "pattern"] as const;
export const SEVERITIES = ["critical", "high", "low"] as const;
export const LEARNING_TYPES = ["pattern", "antipattern", "insight"] as const;
export const AGENT_TYPES = ["task-executor", "supervisor", "outer-ralph", "code-improvement-scanner"] as const;
