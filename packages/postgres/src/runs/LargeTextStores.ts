// A `RunStore` and a `SessionStore` that store large texts separately. Callers get the whole values, up to a limit for
// one read.
import { isStorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import * as ReadLimiter from "@svc-runtime/engine/limits/ReadLimiter"
import { ResponseTooLarge } from "@svc-runtime/engine/limits/ResponseLimit"
import { defaults } from "@svc-runtime/engine/limits/StoreLimits"
import * as EventText from "@svc-runtime/engine/run/events/EventText"
import * as StoredFormat from "@svc-runtime/engine/run/journal/StoredFormat"
import type { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import type { EventBatch } from "@svc-runtime/engine/run/store/RunWrites"
import { Effect, Option } from "effect"
import type { SqlClient } from "effect/sql"
import { orUnavailable } from "../sql/orUnavailable.ts"
import * as LargeTextReferences from "./LargeTextReferences.ts"
import * as LargeTexts from "./LargeTexts.ts"
import * as ResumableRuns from "./ResumableRuns.ts"
import * as RunSearch from "./RunSearch.ts"

type Runs = RunStore["Service"]

const hasNone = ({ events }: EventBatch): boolean => !events.some((event) => LargeTexts.canBeIn(EventText.of(event)))

const sumOf = (lengths: Iterable<number>): number => [...lengths].reduce((sum, length) => sum + length, 0)

/** The characters of the large texts of a value in a response. A repeated text is sent each time. */
const lengthOf = (value: unknown): number => sumOf(LargeTexts.references(value).map(({ length }) => length))

/** The same in memory, which has a repeated text once. */
const heldLengthOf = (value: unknown): number =>
  sumOf(new Map(LargeTexts.references(value).map(({ hash, length }) => [hash, length])).values())

/** A page of events whose large texts fit. The others are on the next page. */
const fitting = <A>(events: ReadonlyArray<A>): ReadonlyArray<A> => {
  let room = LargeTextReferences.bounds.events
  const end = events.findIndex((event, index) => {
    room -= lengthOf(event)
    return room < 0 && index > 0
  })
  return end === -1 ? events : events.slice(0, end)
}

/** Reads the large texts of what was found. */
const ifFound = <A, B, E, F>(
  reading: Effect.Effect<Option.Option<A>, E>,
  read: (found: A) => Effect.Effect<B, F>
): Effect.Effect<Option.Option<B>, E | F> =>
  Effect.flatMap(reading, (found) => Effect.transposeOption(Option.map(found, read)))

/**
 * `maxRestoredRun`: the maximum characters of a run that is read to be resumed. `responseLimit`: those of the runs that
 * one search reads.
 */
export const make = (
  sql: SqlClient.SqlClient,
  maxRestoredRun = Number.POSITIVE_INFINITY,
  responseLimit = defaults.response
) => {
  const texts = LargeTextReferences.make(sql)
  const { named, extract, resolve, resolveOfRun, referring, rows } = texts
  const { bounded, wholeOrDamaged, wholeRun, withHistory } = ResumableRuns.make(texts, maxRestoredRun)

  /** Waits for memory for the large texts of a value. */
  const admitted = (value: unknown, isMeant?: typeof ReadLimiter.isReadOnly) =>
    ReadLimiter.admit(
      Effect.sync(() => ({ text: Math.min(heldLengthOf(value), LargeTextReferences.bounds.run) })),
      isMeant
    )

  const runs = (inner: Runs): Partial<Runs> => ({
    create: (newRun) => {
      const { session_id } = newRun
      const found = LargeTexts.find([newRun.input, newRun.startEvent, newRun.entries, newRun.command])
      const begun = found.size === 0 ? inner.create(newRun) : Effect.gen(function*() {
        const names = yield* orUnavailable(named(found), newRun)
        yield* orUnavailable(rows.put(session_id, names), newRun)
        const accepted = yield* Effect.tapError(
          inner.create(referring(newRun, names)),
          // if the reply was lost, the run may still be stored
          (error) => isStorageUnavailable(error) ? Effect.void : Effect.ignore(rows.forget(session_id), { log: true })
        )
        // the session may have been deleted and created again meanwhile
        yield* orUnavailable(rows.put(session_id, names), newRun)
        return accepted
      })
      return Effect.flatMap(begun, (accepted) => withHistory(session_id, accepted))
    },
    dequeue: (turns) =>
      Effect.flatMap(inner.dequeue(turns), (given) =>
        Effect.forEach(given, (turn) =>
          Effect.map(
            resolveOfRun(turn.run_id, turn.history, LargeTextReferences.bounds.all),
            (history) => ({ ...turn, history })
          ))),
    // the session state is stored whole
    finish: (ending) =>
      Effect.flatMap(
        extract(ending.run.run_id, { run: ending.run, events: ending.events }),
        (stored) => inner.finish({ ...ending, ...stored })
      ),
    finishAndDequeue: (ending, node) =>
      Effect.flatMap(
        extract(ending.run.run_id, { run: ending.run, events: ending.events }),
        (stored) =>
          Effect.map(inner.finishAndDequeue({ ...ending, ...stored }, node), ({ isHeld, next }) => {
            const isWhole = LargeTexts.references(next?.snapshot?.history).length === 0
            return { isHeld, next: next && { run_id: next.run_id, snapshot: isWhole ? next.snapshot : undefined } }
          })
      ),
    record: (recorded) => Effect.flatMap(extract(recorded.run_id, recorded), inner.record),
    recordMembers: (outer, members) =>
      Effect.flatMap(extract(outer.run_id, members), (stored) => inner.recordMembers(outer, stored)),
    appendEvents: (batches) =>
      batches.every(hasNone) || LargeTexts.find(batches).size === 0
        ? inner.appendEvents(batches)
        : Effect.flatMap(Effect.forEach(batches, (batch) => extract(batch.run_id, batch)), inner.appendEvents),
    resume: (resumption) => Effect.flatMap(extract(resumption.run_id, resumption), inner.resume),
    memberHistory: (recall) =>
      Effect.flatMap(
        inner.memberHistory(recall),
        (messages) => resolveOfRun(recall.run_id, messages, LargeTextReferences.bounds.all)
      ),
    snapshot: (session, run, filter) =>
      ifFound(inner.snapshot(session, run, filter), (found) =>
        admitted(found, ReadLimiter.isReadOnly).pipe(
          Effect.andThen(wholeOrDamaged(session, found)),
          Effect.flatMap(StoredFormat.upcasted)
        )),
    load: (held) => ifFound(inner.load(held), (found) => Effect.andThen(bounded(found), wholeRun(found))),
    readEvents: (session, run, filter, range) =>
      ifFound(
        inner.readEvents(session, run, filter, range),
        (found) => resolveOfRun(run, { ...found, events: fitting(found.events) })
      ),
    pollEvents: (polled, limit) =>
      Effect.flatMap(
        inner.pollEvents(polled, limit),
        Effect.forEach((found) => {
          const events = fitting(found.events)
          const hasMore = found.hasMore || events.length < found.events.length
          return resolveOfRun(found.run_id, { ...found, events, hasMore })
        })
      ),
    search: (search) =>
      Effect.flatMap(inner.search(search), ({ bytes, runs, total }) =>
        Effect.map(
          Effect.forEach(
            RunSearch.fitting(runs, lengthOf, Math.max(0, responseLimit - bytes)),
            (run) => Effect.andThen(admitted(run), resolveOfRun(run.run_id, run))
          ),
          (read) => ({ runs: read, total, bytes: bytes + runs.reduce((sum, run) => sum + lengthOf(run), 0) })
        )),
    outlines: (wanted, filter) =>
      Effect.flatMap(inner.outlines(wanted, filter), (found) =>
        Effect.forEach(
          RunSearch.fitting(found, lengthOf, responseLimit),
          (run) => Effect.andThen(admitted(run), resolve(run.session_id, run, LargeTextReferences.bounds.run))
        )),
    find: (session, run, filter) =>
      ifFound(
        inner.find(session, run, filter),
        (found) => Effect.andThen(admitted(found), resolve(session, found, LargeTextReferences.bounds.run))
      ),
    list: (session, filter, page) =>
      ifFound(
        inner.list(session, filter, page),
        Effect.fnUntraced(function*(found) {
          const bytes = lengthOf(found)
          if (bytes > responseLimit) {
            return yield* new ResponseTooLarge({ subject: "runs", bytes, limit: responseLimit })
          }
          yield* admitted(found)
          return yield* resolve(session, found, LargeTextReferences.bounds.list)
        })
      )
  })

  /** As `resolve`, in JSON that is not parsed: the chat of a session. */
  const resolveInJson = Effect.fnUntraced(function*(session: string, json: string) {
    const all = LargeTexts.referencesInText(json)
    if (all.length === 0) return json
    const texts = yield* resolve(session, all.map(LargeTexts.referenceOf), LargeTextReferences.bounds.list)
    let next = 0
    return LargeTexts.replaceInText(json, () => texts[next++] ?? "")
  })

  return { runs, resolveInJson, sweep: orUnavailable(rows.sweep) }
}
