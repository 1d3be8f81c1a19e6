// A database that neither answers nor fails: a connection can take half a minute to show that. A statement
// that waits fails when a separate check shows that the database does not answer. While it answers, nothing is checked.
import { StorageUnavailable } from "@svc/domain/StorageUnavailable"
import { Clock, Effect, type Exit, type Fiber, Latch } from "effect"
import type { Loop } from "./BackgroundLoops.ts"

export interface Silence {
  /** Fails when the database is silent. Whether a write was stored is unknown then. */
  readonly orFail: <A, E>(statement: Effect.Effect<A, E>) => Effect.Effect<A, E | StorageUnavailable>
  /** The same for a statement that is not interrupted and continues in the background. */
  readonly orLeave: <A, E>(
    statement: Effect.Effect<A, E>,
    left: Left
  ) => Effect.Effect<A, E | StorageUnavailable>
  /** How many statements have succeeded: while this rises, the database answers, however long its queue is. */
  readonly answers: () => number
  readonly loop: Loop
}

/** Statements that take longer make the node look whether the database answers. */
const patienceMillis = 1000

/** No statement fails before: until then the database may still execute what it was sent. */
export const leastSilenceMillis = 2000

/** A statement whose caller got the error. */
export interface Left {
  readonly onLeave?: () => void
  /** Called when the statement has ended, successfully or not. */
  readonly onEnd: Effect.Effect<void>
}

interface Waiting {
  readonly since: number
  readonly fail: (error: StorageUnavailable) => void
}

/** `isAble`: whether the database answers a short statement in time. */
export const make = (isAble: Effect.Effect<boolean>): Silence => {
  /** The oldest first. */
  const waiting = new Set<Waiting>()
  const isWaiting = Latch.makeUnsafe(false)
  let answers = 0

  const enter = (caller: Fiber.Fiber<unknown, unknown>, fail: Waiting["fail"]) => {
    const entered = { since: caller.getRef(Clock.Clock).currentTimeMillisUnsafe(), fail }
    waiting.add(entered)
    isWaiting.openUnsafe()
    return entered
  }

  const leave = (entered: Waiting, exit?: Exit.Exit<unknown, unknown>) => {
    if (exit?._tag === "Success") answers++
    waiting.delete(entered)
    if (waiting.size === 0) isWaiting.closeUnsafe()
  }

  const look = Effect.gen(function*() {
    const [oldest] = waiting
    if (oldest === undefined || (yield* Clock.currentTimeMillis) - oldest.since < patienceMillis) return
    if (yield* isAble) return
    const time = yield* Clock.currentTimeMillis
    for (const { fail, since } of waiting) {
      if (time - since < leastSilenceMillis) break
      fail(new StorageUnavailable({ cause: "A statement was sent to the database, which answers nothing" }))
    }
  })

  return {
    orFail: (statement) =>
      Effect.withFiber((caller) =>
        Effect.callback((resume) => {
          const fiber = Effect.runForkWith(caller.context)(statement)
          const entered = enter(caller, (error) => {
            resume(Effect.fail(error))
            fiber.interruptUnsafe()
          })
          fiber.addObserver((exit) => {
            leave(entered, exit)
            resume(exit)
          })
          return Effect.sync(() => {
            leave(entered)
            fiber.interruptUnsafe()
          })
        })
      ),
    orLeave: (statement, { onEnd, onLeave }) =>
      Effect.withFiber((caller) =>
        Effect.callback((resume) => {
          let isLeft = false
          const run = Effect.runForkWith(caller.context)
          const fiber = run(statement, { uninterruptible: true })
          const entered = enter(caller, (error) => {
            isLeft = true
            leave(entered)
            onLeave?.()
            resume(Effect.fail(error))
          })
          fiber.addObserver((exit) => {
            leave(entered, exit)
            if (isLeft) run(onEnd, { uninterruptible: true })
            else resume(exit)
          })
        })
      ),
    answers: () => answers,
    loop: { when: Effect.andThen(isWaiting.await, Effect.sleep("1 second")), task: look, every: 0 }
  }
}
