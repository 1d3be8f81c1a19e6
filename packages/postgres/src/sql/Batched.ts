// Batches calls into statements. A call without a statement in progress runs at once. Calls that arrive meanwhile wait
// and share the next statement. There is no delay without load, and under load the database plans, executes and flushes
// once for many calls. Calls are isolated from each other: a heavy call runs alone, a failed statement is repeated for
// each of its calls alone, and a long statement lets the next one start beside it.
import { Cause, Deferred, Effect, Option, Semaphore } from "effect"
import { SqlError } from "effect/sql"
import { isLost } from "./orUnavailable.ts"

interface Job<A, B, E> {
  readonly item: A
  readonly done: Deferred.Deferred<B, E>
  /** True while a statement executes it. */
  isTaken: boolean
}

export interface Options<A, B, E> {
  /** One statement for all calls, with results in their order. It must not wait long. */
  readonly together: (items: ReadonlyArray<A>) => Effect.Effect<ReadonlyArray<B>, E>
  /**
   * A statement for one call on its own connection: it can be heavy and can wait. It is repeated if its outcome is
   * unknown.
   */
  readonly alone: (item: A) => Effect.Effect<B, E>
  /**
   * The results of the calls of a statement whose reply was lost; undefined: none was done. Left out for idempotent
   * calls.
   */
  readonly found?: ((items: ReadonlyArray<A>) => Effect.Effect<ReadonlyArray<B | undefined>, E>) | undefined
  readonly bytesOf: (item: A) => number
  /** Two calls of one group are never in the same statement. */
  readonly groupOf?: ((item: A) => string) | undefined
  readonly maxBatch?: number | undefined
  readonly maxBytes?: number | undefined
}

// More would not be faster, and the parameters of a statement must fit into memory.
const defaultMost = 64
const defaultMostBytes = 2 * 1024 * 1024

/** Calls of this size and larger run alone. */
export const heavyBytes = 256 * 1024

/** After this time a statement no longer blocks the next one. */
const blockMillis = 50

/** Concurrent statements of one kind. */
const lanes = 3

/** Calls that are repeated concurrently after a failed statement. */
const again = 3

/** The database rolled it back and reports it. */
const isUndone = (error: unknown): boolean =>
  SqlError.isSqlError(error) &&
  (error.reason._tag === "LockTimeoutError" || error.reason._tag === "StatementTimeoutError")

const errorOf = <E>(cause: Cause.Cause<E>) => Option.getOrUndefined(Cause.findErrorOption(cause))

export const make = <A, B, E>(options: Options<A, B, E>): (item: A) => Effect.Effect<B, E> => {
  const { alone, bytesOf, found, groupOf, maxBatch = defaultMost, maxBytes = defaultMostBytes, together } = options
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
      if (taken.length > 0 && bytes > maxBytes) break
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
    // alone in a statement, a call gets its own error
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
      // the next statements do not wait for it
      Effect.catchCause((cause) => Effect.forkDetach(recover(jobs, cause)))
    )

  /** Blocks the next statement until this one is done, or the time limit. A plain timer saves a fiber per call. */
  const passing = (statement: Effect.Effect<unknown>) =>
    Effect.suspend(() => {
      let isPassed = false
      const pass = Effect.suspend(() => {
        if (isPassed) return Effect.void
        isPassed = true
        clearTimeout(timer)
        return turn.release(1)
      })
      // @effect-diagnostics-next-line globalTimersInEffect:off because a fiber per statement is too much
      const timer = setTimeout(() => Effect.runFork(pass), blockMillis)
      return Effect.andThen(open.withPermit(statement), pass)
    })

  // An interrupted caller leaves its call in the batch: it is executed with the others.
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
