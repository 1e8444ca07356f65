// The mark of an attempt, by which all that it started is found.

/** In the environment of all that an attempt starts; made from ids only, so that a later engine can look for it. */
export const markOf = (run: string, e: { readonly scope: string; readonly step: string; readonly attempt: number }): string =>
	`${run}:${e.scope}:${e.step}:${e.attempt}`;
