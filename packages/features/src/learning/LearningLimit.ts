// How many learnings agents write and read. `StoreLimits` has how many the service keeps.

/** Learnings of one owner in one namespace that agents write, proposed ones counted apart. */
export const namespaceLimit = 1000

/** The maximum that a run reads. */
export const relevantLimits = { learnings: 100, bytes: 512 * 1024 } as const
