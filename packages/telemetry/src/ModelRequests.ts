// Counts requests to models, of chats and of embedders, with their times.
import { Cause, Context, type Duration, Effect } from "effect"
import { Instruments, type ModelEnd } from "./Instruments.ts"

/** Whether a time limit around the request is reached. */
const IsLate = Context.Reference<() => boolean>("@svc/telemetry/ModelRequests/IsLate", {
  defaultValue: () => () => false
})

/** A request that was interrupted does not count, unless its caller did not wait any longer: then it is an error. */
export const counted = <A, E, R>(
  request: Effect.Effect<A, E, R>,
  model: ModelEnd["model"]
): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => {
    const [instruments, isLate] = [fiber.getRef(Instruments), fiber.getRef(IsLate)]
    const since = performance.now()
    return Effect.onExit(request, (exit) =>
      Effect.sync(() => {
        if (exit._tag === "Failure" && Cause.hasInterruptsOnly(exit.cause) && !isLate()) return
        const seconds = (performance.now() - since) / 1000
        instruments.modelEnded({ model, isError: exit._tag === "Failure", seconds })
      }))
  })

/** Interrupts the effect after a time. Requests to models inside of it count as errors then. */
export const within = <A, E, R, B, E2, R2>(
  effect: Effect.Effect<A, E, R>,
  duration: Duration.Input,
  orElse: () => Effect.Effect<B, E2, R2>
): Effect.Effect<A | B, E | E2, R | R2> =>
  Effect.withFiber((fiber) => {
    const isOuterLate = fiber.getRef(IsLate)
    let isLate = false
    const late = Effect.suspend(() => {
      isLate = true
      return orElse()
    })
    return Effect.raceFirst(
      Effect.provideService(effect, IsLate, () => isLate || isOuterLate()),
      Effect.andThen(Effect.sleep(duration), late)
    )
  })
