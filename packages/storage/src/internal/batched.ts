// Many calls, few statements. A call that finds no statement under way makes its own at once; those that come meanwhile
// wait, and the next statement takes them all. Nothing is delayed when nothing is going on, and under load the database
// plans, executes and flushes once for many.
import { Cause, Deferred, Effect, Option, Semaphore } from "effect"
import { isLost } from "./orUnavailable.ts"

interface Job<A, B, E> {
  readonly item: A
  readonly done: Deferred.Deferred<B, E>
}

export interface Options<A, B, E> {
  /** One statement for all of them; results in their order. */
  readonly all: (items: ReadonlyArray<A>) => Effect.Effect<ReadonlyArray<B>, E>
  readonly most: number
}

/**
 * What fails together is done again one by one, so that nobody fails for somebody else's reason. What may have been done
 * is not: whoever asked for it would be told that it was there before.
 */
export const make = <A, B, E>({ all, most }: Options<A, B, E>): (item: A) => Effect.Effect<B, E> => {
  const turn = Semaphore.makeUnsafe(1)
  const waiting: Array<Job<A, B, E>> = []

  const alone = ({ done, item }: Job<A, B, E>) =>
    Deferred.into(Effect.map(all([item]), ([result]) => result as B), done)

  const together = (jobs: ReadonlyArray<Job<A, B, E>>) =>
    all(jobs.map(({ item }) => item)).pipe(
      Effect.flatMap((results) =>
        Effect.forEach(jobs, ({ done }, index) => Deferred.succeed(done, results[index] as B), { discard: true })
      ),
      Effect.catchCause((cause) =>
        Option.exists(Cause.findErrorOption(cause), isLost)
          ? Effect.forEach(jobs, ({ done }) => Deferred.failCause(done, cause), { discard: true })
          : Effect.forEach(jobs, alone, { discard: true })
      )
    )

  const lead = (own: Job<A, B, E>) =>
    Effect.suspend(() => {
      if (Deferred.isDoneUnsafe(own.done)) return Effect.void
      const jobs = waiting.splice(0, most)
      const [only] = jobs
      return jobs.length === 1 && only !== undefined ? alone(only) : together(jobs)
    })

  // Whoever is interrupted while it waits has still asked: its job is done with the others.
  return (item) =>
    Effect.uninterruptible(Effect.suspend(() => {
      const own: Job<A, B, E> = { item, done: Deferred.makeUnsafe() }
      waiting.push(own)
      return Effect.andThen(turn.withPermit(lead(own)), Deferred.await(own.done))
    }))
}
