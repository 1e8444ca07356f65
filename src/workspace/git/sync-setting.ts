// What git has to sync so that a commit that the journal knows of survives a loss of power. By itself git syncs neither loose objects nor
// refs: they may be empty files afterwards, and an empty object is never written again. git before 2.36 does not know these settings.

/** Not with `core.fsyncMethod=batch`: git 2.39 then says that all is well although the disk was full and objects are missing. */
const SETTING = "core.fsync";
/** Until it is on the disk: by itself git on macOS hands it to the disk and does not wait. */
const METHOD = "core.fsyncMethod";

/** For our own calls. An index of our own can be made again, so it is not worth a sync. (Not `all,-index`: git adds what is named after it takes
 * away what is named with a minus.) */
export const durableArgs = (ownIndex: boolean): string[] => [
	"-c",
	`${SETTING}=${ownIndex ? "committed,derived-metadata,reference" : "all"}`,
	"-c",
	`${METHOD}=fsync`,
];

/** For the git commands of a session. Not GIT_CONFIG_COUNT, which the user may have set. */
export const durableEnv: Readonly<Record<string, string>> = { GIT_CONFIG_PARAMETERS: `'${SETTING}'='all' '${METHOD}'='fsync'` };
