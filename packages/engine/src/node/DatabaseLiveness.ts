// Fails statements that wait for a database that does not reply: a broken connection can take half a minute to fail
// them. A separate statement checks whether the database replies, and only while another one waits for long.
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Clock, Effect, type Exit, type Fiber, Latch } from "effect"
import type { Loop } from "./BackgroundLoops.ts"

export interface DatabaseLiveness {
  /** Fails when the database is silent. Whether a write was stored is unknown then. */
  readonly orFail: <A, E>(statement: Effect.Effect<A, E>) => Effect.Effect<A, E | StorageUnavailable>
  /** The same for a statement that is not interrupted and continues in the background. */
  readonly orDetach: <A, E>(
    statement: Effect.Effect<A, E>,
    detached: Detached
  ) => Effect.Effect<A, E | StorageUnavailable>
  /** How many statements have succeeded: while this rises, the database replies, however long its queue is. */
  readonly replyCount: () => number
  readonly loop: Loop
}

/** A statement that takes longer makes the node check whether the database replies. */
const checkAfterMillis = 1000

/** No statement fails before: until then the database may still execute what it was sent. */
export const minSilenceMillis = 2000

/** A statement whose caller got the error. */
export interface Detached {
  readonly onDetach?: () => void
  /** Called when the statement has ended, successfully or not. */
  readonly onEnd: Effect.Effect<void>
}

interface Waiting {
  readonly since: number
  readonly fail: (error: StorageUnavailable) => void
}

/** `isAble`: whether the database replies to a short statement in time. */
export const make = (isAble: Effect.Effect<boolean>): DatabaseLiveness => {
  /** The oldest first. */
  const waiting = new Set<Waiting>()
  const isWaiting = Latch.makeUnsafe(false)
  let replies = 0

  const enter = (caller: Fiber.Fiber<unknown, unknown>, fail: Waiting["fail"]) => {
    const entered = { since: caller.getRef(Clock.Clock).currentTimeMillisUnsafe(), fail }
    waiting.add(entered)
    isWaiting.openUnsafe()
    return entered
  }

  const leave = (entered: Waiting, exit?: Exit.Exit<unknown, unknown>) => {
    if (exit?._tag === "Success") replies++
    waiting.delete(entered)
    if (waiting.size === 0) isWaiting.closeUnsafe()
  }

  const check = Effect.gen(function*() {
    const [oldest] = waiting
    if (oldest === undefined || (yield* Clock.currentTimeMillis) - oldest.since < checkAfterMillis) return
    if (yield* isAble) return
    const time = yield* Clock.currentTimeMillis
    for (const { fail, since } of waiting) {
      if (time - since < minSilenceMillis) break
      fail(new StorageUnavailable({ cause: "A statement was sent to the database, which does not reply" }))
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
    orDetach: (statement, { onEnd, onDetach }) =>
      Effect.withFiber((caller) =>
        Effect.callback((resume) => {
          let isDetached = false
          const run = Effect.runForkWith(caller.context)
          const fiber = run(statement, { uninterruptible: true })
          const entered = enter(caller, (error) => {
            isDetached = true
            leave(entered)
            onDetach?.()
            resume(Effect.fail(error))
          })
          fiber.addObserver((exit) => {
            leave(entered, exit)
            if (isDetached) run(onEnd, { uninterruptible: true })
            else resume(exit)
          })
        })
      ),
    replyCount: () => replies,
    loop: { when: Effect.andThen(isWaiting.await, Effect.sleep("1 second")), task: check, every: 0 }
  }
}
