// The names of the branches and refs under which pawl keeps the work of a story.

/** The branch of a story at work; with the run in its name for a run that keeps its stories apart from those of others. */
export const storyBranch = (story: string, run?: string): string => (run === undefined ? `ralph/${story}` : `ralph/${run}/${story}`);
export const backupRef = (story: string, commit: string): string => `refs/pawl/backup/${story}/${commit.slice(0, 16)}`;
export const keptRef = (story: string): string => `refs/pawl/kept/${story}`;
export const keptByRef = (run: string, story: string): string => `refs/pawl/kept-by/${run}/${story}`;
export const startRef = (run: string, story: string): string => `refs/pawl/start/${run}/${story}`;
