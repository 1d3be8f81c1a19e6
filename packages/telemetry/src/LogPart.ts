// The part of the service that a log line is about. Each part can have a level of its own.
import { Effect } from "effect"

/** `service` is the part of lines without another one. */
export const parts = ["http", "runs", "jobs", "knowledge", "database", "service"] as const

export type LogPart = typeof parts[number]

/** The lines of the effect are about this part. */
export const inPart = (part: LogPart): <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R> =>
  Effect.annotateLogs("part", part)
