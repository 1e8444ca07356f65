/** The name that a claim has for people and for the agent; the token is its secret. */
export const claimHandle = (run: string, scope: string, step: string, attempt: number): string => `${run}:${scope}:${step}:${attempt}`;
