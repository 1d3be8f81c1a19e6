// Counts requests to models, of chats and of embedders, with their times.
import { Cause, Effect } from "effect"
import { Instruments, type ModelEnd } from "./Instruments.ts"

/** A request that was interrupted does not count. */
export const counted = <A, E, R>(
  request: Effect.Effect<A, E, R>,
  model: ModelEnd["model"]
): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => {
    const instruments = fiber.getRef(Instruments)
    const since = performance.now()
    return Effect.onExit(request, (exit) =>
      Effect.sync(() => {
        if (exit._tag === "Failure" && Cause.hasInterruptsOnly(exit.cause)) return
        const seconds = (performance.now() - since) / 1000
        instruments.modelEnded({ model, isError: exit._tag === "Failure", seconds })
      }))
  })
