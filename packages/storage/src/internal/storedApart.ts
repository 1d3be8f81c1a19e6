// A `RunStore` and a `SessionStore` that store long texts separately. Callers get the whole values, up to a limit for
// one read.
import * as Run from "@svc/domain/Run"
import * as ReadGate from "@svc/runtime/ReadGate"
import { RunUnreadable } from "@svc/runtime/run/RunErrors"
import type { RunSnapshot } from "@svc/runtime/run/RunReads"
import type { RunStore } from "@svc/runtime/run/RunStore"
import * as StoredFormat from "@svc/runtime/run/StoredFormat"
import { Effect, Option } from "effect"
import type { SqlClient } from "effect/sql"
import * as Rows from "./largeTextRows.ts"
import * as LargeTexts from "./largeTexts.ts"
import { orUnavailable, readOrUnavailable } from "./orUnavailable.ts"

type Runs = RunStore["Service"]

/** Maximum characters of long texts that are read: to resume a run, for one run, and for several. */
const bounds = {
  all: Number.POSITIVE_INFINITY,
  run: 128 * 1024 * 1024,
  list: 64 * 1024 * 1024,
  history: 8 * 1024 * 1024,
  /** Of one page of events, except for its first event. */
  events: 2 * 1024 * 1024
}

/** The characters of the long texts of a value. A repeated text counts once, because it is in memory once. */
const lengthOf = (value: unknown): number =>
  [...new Map(LargeTexts.references(value).map(({ hash, length }) => [hash, length])).values()]
    .reduce((sum, length) => sum + length, 0)

/** A page of events whose long texts fit. The others are on the next page. */
const fitting = <A>(events: ReadonlyArray<A>): ReadonlyArray<A> => {
  let room = bounds.events
  const end = events.findIndex((event, index) => {
    room -= lengthOf(event)
    return room < 0 && index > 0
  })
  return end === -1 ? events : events.slice(0, end)
}

/** `largestRun`: the maximum characters of a run that is read to be resumed. */
export const make = (sql: SqlClient.SqlClient, largestRun = Number.POSITIVE_INFINITY) => {
  const rows = Rows.make(sql)

  const named = (found: ReadonlySet<string>) =>
    Effect.map(
      Effect.forEach(found, (whole) => Effect.map(Rows.nameOf(whole), (reference) => [whole, reference] as const)),
      (entries) => new Map(entries)
    )

  const referring = <A>(value: A, names: ReadonlyMap<string, LargeTexts.Reference>): A =>
    LargeTexts.replace(value, (text) => {
      const reference = names.get(text)
      return reference === undefined ? text : LargeTexts.referenceOf(reference)
    })

  /** Stores the long texts of a value of an existing run, and returns the value with references. */
  const putApart = <A>(run: string, value: A) => {
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

  const textOf = (texts: ReadonlyMap<string, string>) => (text: string) => {
    const reference = LargeTexts.parseReference(text)
    return reference === undefined ? text : texts.get(reference.hash)
  }

  /** The original value. Texts beyond the limit are left out. The statement limits the history. */
  const putBack = <A>(session: string, value: A, bound: number) => {
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
  const putBackIn = <A>(run: string, value: A, bound: number = bounds.list) => {
    if (LargeTexts.references(value).length === 0) return Effect.succeed(value)
    return Effect.flatMap(
      readOrUnavailable(rows.sessionOf(run), { run_id: run }),
      (session) => session === undefined ? Effect.succeed(value) : putBack(session, value, bound)
    )
  }

  const withHistory = <A extends { readonly history: ReadonlyArray<unknown> }>(session: string, begun: A) =>
    Effect.map(
      putBack(session, begun.history, bounds.all),
      (history): A => history === begun.history ? begun : { ...begun, history }
    )

  const whole = Effect.fnUntraced(function*<A extends { readonly history: ReadonlyArray<unknown> }>(
    session: string,
    snapshot: A
  ) {
    const { history } = yield* withHistory(session, snapshot)
    return { ...(yield* putBack(session, { ...snapshot, history: [] }, bounds.all)), history }
  })

  /** A run is resumed only if all of its texts are unchanged. Its history can lack some. */
  const wholeRun = Effect.fnUntraced(function*(stored: RunSnapshot) {
    const { history: _, ...rest } = stored
    const references = new Map(LargeTexts.references(rest).map((each) => [each.hash, each]))
    const shown = yield* withHistory(stored.session_id, stored)
    if (references.size === 0) return shown
    const texts = yield* readOrUnavailable(rows.get(stored.session_id, [...references.values()]), stored)
    for (const [hash] of references) {
      const text = texts.get(hash)
      const isWhole = text !== undefined && (yield* Rows.nameOf(text)).hash === hash
      if (!isWhole) {
        return yield* new RunUnreadable({ run_id: stored.run_id, reason: "a long text of it is missing or damaged" })
      }
    }
    return { ...LargeTexts.replace(rest, textOf(texts)), history: shown.history }
  })

  /** A run that can be continued lists its damaged texts. */
  const wholeOrDamaged = (session: string, stored: RunSnapshot) =>
    !Run.isContinuable(stored.status) ? whole(session, stored) : Effect.catchTag(
      wholeRun(stored),
      "RunUnreadable",
      ({ reason }) => Effect.map(whole(session, stored), (snapshot) => ({ ...snapshot, damage: reason }))
    )

  const mebibytes = (characters: number) => `${Math.ceil(characters / 1024 / 1024)} MiB`

  const bounded = (stored: RunSnapshot) => {
    const distinct = new Map(LargeTexts.references(stored).map(({ hash, length }) => [hash, length]))
    const length = [...distinct.values()].reduce((sum, each) => sum + each, 0)
    const reason = `its long texts have ${mebibytes(length)}, and MAX_RESTORED_RUN_BYTES allows ${
      mebibytes(largestRun)
    }`
    return length <= largestRun ? Effect.void : Effect.fail(new RunUnreadable({ run_id: stored.run_id, reason }))
  }

  /** Waits for memory for the long texts of a value. */
  const admitted = (value: unknown, isMeant?: typeof ReadGate.isReadOnly) =>
    ReadGate.admit(Effect.sync(() => ({ text: Math.min(lengthOf(value), bounds.run) })), isMeant)

  const runs = (inner: Runs): Partial<Runs> => ({
    create: (beginning) => {
      const { session_id } = beginning
      const found = LargeTexts.find([beginning.input, beginning.startEvent, beginning.entries, beginning.command])
      const begun = found.size === 0 ? inner.create(beginning) : Effect.gen(function*() {
        const names = yield* orUnavailable(named(found), beginning)
        yield* orUnavailable(rows.put(session_id, names), beginning)
        const accepted = yield* Effect.onError(
          inner.create(referring(beginning, names)),
          () => Effect.ignore(rows.forget(session_id), { log: true })
        )
        // the session may have been deleted and created again meanwhile
        yield* orUnavailable(rows.put(session_id, names), beginning)
        return accepted
      })
      return Effect.flatMap(begun, (accepted) => withHistory(session_id, accepted))
    },
    dequeue: (turns) =>
      Effect.flatMap(inner.dequeue(turns), (given) =>
        Effect.forEach(given, (turn) =>
          Effect.map(
            putBackIn(turn.run_id, turn.history, bounds.all),
            (history) => ({ ...turn, history })
          ))),
    // the session state is stored whole
    finish: (ending) =>
      Effect.flatMap(
        putApart(ending.run.run_id, { run: ending.run, events: ending.events }),
        (stored) => inner.finish({ ...ending, ...stored })
      ),
    finishAndDequeue: (ending, node) =>
      Effect.flatMap(
        putApart(ending.run.run_id, { run: ending.run, events: ending.events }),
        (stored) =>
          Effect.map(inner.finishAndDequeue({ ...ending, ...stored }, node), ({ isHeld, next }) => {
            const isWhole = LargeTexts.references(next?.begun?.history).length === 0
            return { isHeld, next: next && { run_id: next.run_id, begun: isWhole ? next.begun : undefined } }
          })
      ),
    record: (recorded) => Effect.flatMap(putApart(recorded.run_id, recorded), inner.record),
    recordMembers: (outer, members) =>
      Effect.flatMap(putApart(outer.run_id, members), (stored) => inner.recordMembers(outer, stored)),
    appendEvents: (happened) =>
      LargeTexts.find(happened).size === 0
        ? inner.appendEvents(happened)
        : Effect.flatMap(Effect.forEach(happened, (each) => putApart(each.run_id, each)), inner.appendEvents),
    resume: (continuation) => Effect.flatMap(putApart(continuation.run_id, continuation), inner.resume),
    memberHistory: (recall) =>
      Effect.flatMap(
        inner.memberHistory(recall),
        (messages) => putBackIn(recall.run_id, messages, bounds.all)
      ),
    snapshot: (session, run, filter) =>
      Effect.flatMap(
        inner.snapshot(session, run, filter),
        (found) =>
          Option.isNone(found)
            ? Effect.succeed(found)
            : Effect.asSome(
              admitted(found.value, ReadGate.isReadOnly).pipe(
                Effect.andThen(wholeOrDamaged(session, found.value)),
                Effect.flatMap(StoredFormat.upcasted)
              )
            )
      ),
    load: (held) =>
      Effect.flatMap(inner.load(held), (found) =>
        Option.isNone(found)
          ? Effect.succeed(found)
          : Effect.asSome(
            bounded(found.value).pipe(
              Effect.andThen(wholeRun(found.value))
            )
          )),
    readEvents: (session, run, filter, range) =>
      Effect.flatMap(inner.readEvents(session, run, filter, range), (found) =>
        Option.isNone(found)
          ? Effect.succeed(found)
          : Effect.asSome(putBackIn(run, { ...found.value, events: fitting(found.value.events) }))),
    pollEvents: (polled, limit) =>
      Effect.flatMap(
        inner.pollEvents(polled, limit),
        Effect.forEach((found) => {
          const events = fitting(found.events)
          const hasMore = found.hasMore || events.length < found.events.length
          return putBackIn(found.run_id, { ...found, events, hasMore })
        })
      ),
    find: (session, run, filter) =>
      Effect.flatMap(
        inner.find(session, run, filter),
        (found) =>
          Option.isNone(found)
            ? Effect.succeed(found)
            : Effect.asSome(
              Effect.andThen(admitted(found.value), putBack(session, found.value, bounds.run))
            )
      ),
    list: (session, filter, page) =>
      Effect.flatMap(
        inner.list(session, filter, page),
        (found) =>
          Option.isNone(found) ? Effect.succeed(found) : Effect.asSome(putBack(session, found.value, bounds.list))
      )
  })

  /** As `putBack`, in JSON that is not parsed: the chat of a session. */
  const putBackInText = Effect.fnUntraced(function*(session: string, json: string) {
    const all = LargeTexts.referencesInText(json)
    if (all.length === 0) return json
    const texts = yield* putBack(session, all.map(LargeTexts.referenceOf), bounds.list)
    let next = 0
    return LargeTexts.replaceInText(json, () => texts[next++] ?? "")
  })

  return { runs, putBackInText, sweep: orUnavailable(rows.sweep) }
}
