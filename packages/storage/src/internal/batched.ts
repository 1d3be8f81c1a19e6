// Many calls, few statements. A call that finds no statement under way makes its own at once; those that come meanwhile
// wait, and the next statement takes as many of them as fit. Nothing is delayed when nothing is going on, and under load the
// database plans, executes and flushes once for many.
//
// Nobody fails or waits for somebody else's reason. A heavy call never shares a statement. A statement that fails is made
// again for each of its calls, alone. One that takes long keeps its calls and lets the next statement begin beside it.
import { Cause, Deferred, type Duration, Effect, Option, Semaphore } from "effect"
import { SqlError } from "effect/sql"
import { isLost } from "./orUnavailable.ts"

interface Job<A, B, E> {
  readonly item: A
  readonly done: Deferred.Deferred<B, E>
  /** A statement has it. */
  isTaken: boolean
}

export interface Options<A, B, E> {
  /** One statement for all of them; results in their order. It must not wait for long. */
  readonly together: (items: ReadonlyArray<A>) => Effect.Effect<ReadonlyArray<B>, E>
  /** A statement of its own on a connection of its own: it may be heavy, and wait. Made again when nobody knows whether it was done. */
  readonly alone: (item: A) => Effect.Effect<B, E>
  /** What has become of the calls of a statement whose answer was lost; undefined: nothing. Left out where doing it again does no harm. */
  readonly found?: ((items: ReadonlyArray<A>) => Effect.Effect<ReadonlyArray<B | undefined>, E>) | undefined
  readonly bytesOf: (item: A) => number
  /** Two calls of one group are never in one statement. */
  readonly groupOf?: ((item: A) => string) | undefined
  readonly maxBatch?: number | undefined
  readonly mostBytes?: number | undefined
}

// More would not be faster, and the parameters of one statement have to fit into memory.
const defaultMost = 64
const defaultMostBytes = 2 * 1024 * 1024

/** From this size on a call goes alone. */
export const heavyBytes = 256 * 1024

/** After which a statement no longer keeps the next one from beginning. */
const patience: Duration.Input = "50 millis"

/** Statements under way at once, of one kind. */
const lanes = 3

/** Calls made again at once, after one statement. */
const again = 3

/** The database has undone it, and says so. */
const isUndone = (error: unknown): boolean =>
  SqlError.isSqlError(error) &&
  (error.reason._tag === "LockTimeoutError" || error.reason._tag === "StatementTimeoutError")

const errorOf = <E>(cause: Cause.Cause<E>) => Option.getOrUndefined(Cause.findErrorOption(cause))

export const make = <A, B, E>(options: Options<A, B, E>): (item: A) => Effect.Effect<B, E> => {
  const { alone, bytesOf, found, groupOf, maxBatch = defaultMost, mostBytes = defaultMostBytes, together } = options
  const turn = Semaphore.makeUnsafe(1)
  const open = Semaphore.makeUnsafe(lanes)
  const waiting: Array<Job<A, B, E>> = []

  const take = (): ReadonlyArray<Job<A, B, E>> => {
    const groups = new Set<string>()
    const taken: Array<Job<A, B, E>> = []
    let bytes = 0
    for (let at = 0; at < waiting.length && taken.length < maxBatch;) {
      const job = waiting[at] as Job<A, B, E>
      const group = groupOf?.(job.item)
      if (group !== undefined && groups.has(group)) {
        at++
        continue
      }
      bytes += bytesOf(job.item)
      if (taken.length > 0 && bytes > mostBytes) break
      if (group !== undefined) groups.add(group)
      job.isTaken = true
      taken.push(job)
      waiting.splice(at, 1)
    }
    return taken
  }

  const each = (jobs: ReadonlyArray<Job<A, B, E>>, results: ReadonlyArray<B | undefined>) =>
    Effect.forEach(
      jobs,
      ({ done, item }, index) =>
        results[index] === undefined
          ? Deferred.into(alone(item), done)
          : Deferred.succeed(done, results[index]),
      { concurrency: again, discard: true }
    )

  const recover = (jobs: ReadonlyArray<Job<A, B, E>>, cause: Cause.Cause<E>) => {
    const error = errorOf(cause)
    const isUnknown = isLost(error) && !isUndone(error)
    // what has failed alone has failed for its own reason
    if (jobs.length === 1 && !isLost(error)) {
      return Effect.forEach(jobs, ({ done }) => Deferred.failCause(done, cause), { discard: true })
    }
    const known = isUnknown && found !== undefined ? found(jobs.map(({ item }) => item)) : Effect.succeed([])
    return Effect.flatMap(known, (results) => each(jobs, results)).pipe(
      Effect.catchCause((cause) =>
        Effect.forEach(jobs, ({ done }) => Deferred.failCause(done, cause), { discard: true })
      )
    )
  }

  const perform = (jobs: ReadonlyArray<Job<A, B, E>>) =>
    together(jobs.map(({ item }) => item)).pipe(
      Effect.flatMap((results) =>
        Effect.forEach(jobs, ({ done }, index) => Deferred.succeed(done, results[index] as B), { discard: true })
      ),
      // beside the next statements: those need not wait for it
      Effect.catchCause((cause) => Effect.forkDetach(recover(jobs, cause)))
    )

  /** Keeps the turn until it is done, or for as long as the others have patience. */
  const passing = (statement: Effect.Effect<unknown>) =>
    Effect.suspend(() => {
      let isPassed = false
      const pass = Effect.suspend(() => {
        if (isPassed) return Effect.void
        isPassed = true
        return turn.release(1)
      })
      return Effect.flatMap(
        Effect.forkDetach(Effect.interruptible(Effect.delay(pass, patience))),
        (timer) =>
          Effect.andThen(
            open.withPermit(statement),
            Effect.andThen(Effect.sync(() => timer.interruptUnsafe()), pass)
          )
      )
    })

  // Whoever is interrupted while it waits has still asked: its job is done with the others.
  return (item) =>
    Effect.uninterruptible(Effect.suspend(() => {
      if (bytesOf(item) > heavyBytes) return alone(item)
      const own: Job<A, B, E> = { item, done: Deferred.makeUnsafe(), isTaken: false }
      waiting.push(own)
      return Effect.andThen(
        Effect.flatMap(turn.take(1), () => own.isTaken ? turn.release(1) : passing(perform(take()))),
        Deferred.await(own.done)
      )
    }))
}
