// What comes into this node's hands: runs that it accepts or goes on with, and those that it takes over. A statement whose
// answer is lost may have put a run there of which the node knows nothing: it is looked for then.
import type { Run, StorageUnavailable } from "@svc/domain"
import { Effect, Latch, Semaphore } from "effect"
import type { Resting, RunStore } from "./RunStore.ts"

export interface Options {
  readonly runs: RunStore["Service"]
  readonly node: string
  /** Seconds after which a node that says nothing is taken for dead. Undefined: none is. */
  readonly silence: number | undefined
  readonly executing: ReadonlyMap<Run.Id, unknown>
  readonly goOn: (resting: Resting) => Effect.Effect<unknown, StorageUnavailable>
}

/** How many runs are taken over at most at a time. */
export const mostAtOnce = 100

export const make = Effect.fnUntraced(function*({ executing, goOn, node, runs, silence }: Options) {
  /** Not executed yet. */
  const coming = new Set<{ readonly run_id: Run.Id }>()
  /** Runs whose callers were told that they are not accepted. */
  const refused = new Set<Run.Id>()
  const hasDoubts = yield* Latch.make(false)
  /** Closed while this node takes back all that is in its name but for what it knows of. */
  const mayCome = yield* Latch.make(true)
  const taking = yield* Semaphore.make(1)
  const doubt = Effect.sync(() => void hasDoubts.openUnsafe())

  const come = (arrival: { readonly run_id: Run.Id }): Effect.Effect<void> =>
    Effect.suspend(() => {
      // it may be closed again by the time that those who have waited for it are woken
      if (!mayCome.isOpen()) return Effect.andThen(mayCome.await, come(arrival))
      coming.add(arrival)
      return Effect.void
    })

  /** Puts a run into this node's hands by a statement that may have done so even if it fails. */
  const into = <A, E, B, F>(
    run_id: Run.Id,
    statement: Effect.Effect<A, E>,
    andThen: (answer: A) => Effect.Effect<B, F>
  ): Effect.Effect<B, E | F> => {
    const arrival = { run_id }
    return Effect.andThen(come(arrival), statement).pipe(
      Effect.tapError(() => doubt),
      Effect.flatMap(andThen),
      Effect.ensuring(Effect.sync(() => coming.delete(arrival)))
    )
  }

  const takeAll = (isStarting: boolean, except: ReadonlyArray<Run.Id>) =>
    Effect.tap(
      runs.takeOver({ node, isStarting, except, silence, limit: mostAtOnce }),
      (taken) => Effect.sync(() => taken.forEach((run) => coming.add(run)))
    )

  /** Nothing comes meanwhile, which it would take for something that nobody knows of. */
  const takeBack = Effect.suspend(() => {
    mayCome.closeUnsafe()
    return takeAll(true, [...executing.keys(), ...[...coming].map(({ run_id }) => run_id)])
  }).pipe(Effect.ensuring(mayCome.open))

  /** One at a time, so that none takes what another one has just been given. */
  const take = (isStarting: boolean) => taking.withPermit(isStarting ? takeBack : takeAll(false, []))

  const begin = (resting: Resting) => {
    // whoever wanted it was told that it will not be
    const isCancelRequested = resting.isCancelRequested || refused.has(resting.run_id)
    return Effect.ensuring(
      goOn({ ...resting, isCancelRequested }),
      Effect.sync(() => coming.delete(resting))
    )
  }

  return {
    into,
    /** A caller is told that a run is not accepted, although it may have been. */
    refuse: (run: Run.Id) => Effect.sync(() => void refused.add(run)),
    takeOver: (isStarting: boolean) =>
      take(isStarting).pipe(
        // side by side: a factory that hangs must not keep the others waiting
        Effect.tap((taken) => Effect.forEach(taken, begin, { concurrency: mostAtOnce, discard: true })),
        Effect.map((taken) => taken.length),
        Effect.onError(() => doubt),
        Effect.uninterruptible
      ),
    /** Returns when there may be something that this node has and knows nothing of. */
    doubts: Effect.andThen(hasDoubts.await, Effect.sync(() => void hasDoubts.closeUnsafe())),
    /** There is nothing of that kind any more. */
    settle: Effect.sync(() => refused.clear())
  }
})
