// Logs rejected statements and unreadable rows with the SQLSTATE, the run and the session, never with values. The same
// error of the same run in the same database is logged once in ten seconds.
import * as Monotonic from "@svc-runtime/domain/Monotonic"
import { CurrentDatabase } from "@svc-runtime/engine/database/CurrentDatabase"
import { Effect, Predicate } from "effect"
import { SqlError } from "effect/sql"

const quietMillis = 10_000

/** Above this number the oldest entries are dropped, and their errors can be logged again. */
const maxEntries = 1000

const logged = new Map<string, number>()

const isDue = (key: string, time: number): boolean => {
  const last = logged.get(key)
  if (last !== undefined && time >= last && time - last < quietMillis) return false
  logged.delete(key)
  logged.set(key, time)
  for (const oldest of logged.keys()) {
    if (logged.size <= maxEntries) break
    logged.delete(oldest)
  }
  return true
}

const textAt = (value: unknown, key: string): string | undefined => {
  const found = Predicate.hasProperty(value, key) ? value[key] : undefined
  return Predicate.isString(found) ? found : undefined
}

/** The run and the session of a store call, from its arguments. */
const subjectOf = (about: ReadonlyArray<unknown>): Readonly<Record<string, string>> => {
  const subject: Record<string, string> = {}
  for (const argument of about.flat()) {
    for (const candidate of [argument, Predicate.hasProperty(argument, "run") ? argument.run : undefined]) {
      for (const key of ["run_id", "session_id"]) {
        const text = textAt(candidate, key)
        if (text !== undefined) subject[key] ??= text
      }
    }
  }
  return subject
}

const describe = (failure: { readonly message: string }) => {
  if (!SqlError.isSqlError(failure)) return { sqlstate: "", problem: "A row cannot be read" }
  const { cause } = failure.reason
  const sqlstate = textAt(cause, "code") ?? ""
  // a message about a value contains the value
  const problem = sqlstate.startsWith("22") ? "A value cannot be stored" : textAt(cause, "message") ?? failure.message
  return { sqlstate, problem }
}

/** Logs unless the same was logged for the same database in the last ten seconds. */
const logOnce = (
  key: ReadonlyArray<string | undefined>,
  message: string,
  annotations: Readonly<Record<string, number | string>>
) =>
  Effect.gen(function*() {
    const database = yield* CurrentDatabase
    if (!isDue([database, ...key].join("\n"), yield* Monotonic.millis)) return
    yield* Effect.annotateLogs(Effect.logError(message), {
      ...annotations,
      part: "database",
      ...(database === undefined ? {} : { database })
    })
  })

export const logRejected = (failure: { readonly message: string }, about: ReadonlyArray<unknown>) => {
  const { problem, sqlstate } = describe(failure)
  const subject = subjectOf(about)
  return logOnce(
    [sqlstate, problem, subject["run_id"], subject["session_id"]],
    `The database rejected a statement: ${problem}`,
    { sqlstate, ...subject }
  )
}

/** Parts of a session, by the names of their columns. */
export const logDamaged = (session_id: string, parts: ReadonlyArray<string>) =>
  logOnce(
    ["damaged", session_id, ...parts],
    "Parts of a stored session cannot be read. They are shown as null",
    { session_id, parts: parts.join() }
  )

export const logDamagedPack = (pack_id: number) =>
  logOnce(["pack", String(pack_id)], "A damaged pack of spans cannot be read, and traces lack its spans", { pack_id })

/** Messages and events of a run that are left out of responses. */
export const logLost = (
  { run_id, session_id }: { readonly run_id: string; readonly session_id: string },
  lost: { readonly messages: number; readonly events: number }
) =>
  logOnce(
    ["lost", run_id],
    "Messages or events of a stored run cannot be read. They are left out",
    { run_id, session_id, ...lost }
  )
