// Numbers and names that the stores and the jobs of deliveries share.

/** The bytes that a delivery counts for at least. */
export const minBytes = 512

/** The deliveries that one call prunes. */
export const prunedAtOnce = 500

/** The kind of the jobs that make deliveries of events. */
export const eventKind = "webhook-event"

/** The attempts of a job of an event. */
export const eventAttempts = 100

/** Characters of the error in an event of a schedule. */
export const errorCharacters = 1000
