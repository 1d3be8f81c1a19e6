// How much agents keep and read of learnings.

/** Learnings of one owner in one namespace that agents write, proposed ones counted apart. */
export const namespaceLimit = 1000

/** The maximum that a run reads. */
export const relevantLimits = { learnings: 100, bytes: 512 * 1024 } as const
