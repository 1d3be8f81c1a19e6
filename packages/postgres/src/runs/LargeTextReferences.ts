// Replaces the large texts of a value by references to their rows, and the references by the texts.
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { orUnavailable, readOrUnavailable } from "../sql/orUnavailable.ts"
import * as LargeTextRows from "./LargeTextRows.ts"
import * as LargeTexts from "./LargeTexts.ts"

/** Maximum characters of large texts that are read: to resume a run, for one run, and for several. */
export const bounds = {
  all: Number.POSITIVE_INFINITY,
  run: 128 * 1024 * 1024,
  list: 64 * 1024 * 1024,
  history: 8 * 1024 * 1024,
  /** Of one page of events, except for its first event. */
  events: 2 * 1024 * 1024
}

export const textOf = (texts: ReadonlyMap<string, string>) => (text: string) => {
  const reference = LargeTexts.parseReference(text)
  return reference === undefined ? text : texts.get(reference.hash)
}

export const make = (sql: SqlClient.SqlClient) => {
  const rows = LargeTextRows.make(sql)

  const named = (found: ReadonlySet<string>) =>
    Effect.map(
      Effect.forEach(found, (whole) =>
        Effect.map(LargeTextRows.nameOf(whole), (reference) => [whole, reference] as const)),
      (entries) =>
        new Map(entries)
    )

  const referring = <A>(value: A, names: ReadonlyMap<string, LargeTexts.Reference>): A =>
    LargeTexts.replace(value, (text) => {
      const reference = names.get(text)
      return reference === undefined ? text : LargeTexts.referenceOf(reference)
    })

  /** Stores the large texts of a value of an existing run, and returns the value with references. */
  const extract = <A>(run: string, value: A) => {
    const found = LargeTexts.find(value)
    if (found.size === 0) return Effect.succeed(value)
    return orUnavailable(
      Effect.gen(function*() {
        const names = yield* named(found)
        const session = yield* rows.sessionOf(run)
        if (session !== undefined) yield* rows.put(session, names)
        return referring(value, names)
      }),
      { run_id: run }
    )
  }

  /** The original value. Texts beyond the limit are left out. The statement limits the history. */
  const resolve = <A>(session: string, value: A, bound: number) => {
    const all = LargeTexts.references(value)
    if (all.length === 0) return Effect.succeed(value)
    const kept = new Map<string, LargeTexts.Reference>()
    let room = bound
    for (const reference of all) {
      room -= bound === bounds.all && kept.has(reference.hash) ? 0 : reference.length
      if (room < 0) break
      kept.set(reference.hash, reference)
    }
    return readOrUnavailable(
      Effect.map(rows.get(session, [...kept.values()]), (texts) => LargeTexts.replace(value, textOf(texts))),
      { session_id: session }
    )
  }

  /** Of a run whose session is not known. */
  const resolveOfRun = <A>(run: string, value: A, bound: number = bounds.list) => {
    if (LargeTexts.references(value).length === 0) return Effect.succeed(value)
    return Effect.flatMap(
      readOrUnavailable(rows.sessionOf(run), { run_id: run }),
      (session) => session === undefined ? Effect.succeed(value) : resolve(session, value, bound)
    )
  }

  return { rows, named, referring, extract, resolve, resolveOfRun }
}

export type LargeTextReferences = ReturnType<typeof make>
