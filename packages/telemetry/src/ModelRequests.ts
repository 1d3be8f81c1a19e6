// Counts requests to models, of chats and of embedders, with their times.
import * as Time from "@svc-runtime/domain/Time"
import type * as Usage from "@svc-runtime/domain/Usage"
import { Cause, Clock, Context, type Duration, Effect, type Exit, type Fiber, Option } from "effect"
import { Instruments, type ModelEnd } from "./Instruments.ts"
import * as Prices from "./Prices.ts"
import * as Spans from "./Spans.ts"

/** Whether a time limit around the request is reached. */
const IsLate = Context.Reference<() => boolean>("@svc-runtime/telemetry/ModelRequests/IsLate", {
  defaultValue: () => () => false
})

/** Whether a time limit has ended a request, by its exit. The fiber is that of the request. */
const endsLate = (fiber: Fiber.Fiber<unknown, unknown>) => {
  const isLate = fiber.getRef(IsLate)
  return (exit: Exit.Exit<unknown, unknown>): boolean =>
    exit._tag === "Failure" && Cause.hasInterruptsOnly(exit.cause) && isLate()
}

/** A request that was interrupted counts only if a time limit has ended it: then it is an error. */
export const counted = <A, E, R>(
  request: Effect.Effect<A, E, R>,
  model: ModelEnd["model"]
): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => {
    const [instruments, isLate] = [fiber.getRef(Instruments), endsLate(fiber)]
    const since = performance.now()
    return Effect.onExit(request, (exit) =>
      Effect.sync(() => {
        if (exit._tag === "Failure" && Cause.hasInterruptsOnly(exit.cause) && !isLate(exit)) return
        const seconds = (performance.now() - since) / 1000
        instruments.modelEnded({ model, isError: exit._tag === "Failure", seconds })
      }))
  })

/** Opens the span of a request. One that a time limit has ended is an error. */
export const spanned = <A, E, R>(
  request: Effect.Effect<A, E, R>,
  open: Parameters<typeof Spans.around>[1],
  close?: Spans.Ends<A, E>["close"]
): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => {
    const isLate = endsLate(fiber)
    return Spans.around(request, open, {
      close: (span, exit, scope, time) => {
        if (!isLate(exit)) return close?.(span, exit, scope, time)
        span.set("error.type", "timeout")
        span.outcome("ERROR", "The request did not end within a time limit")
      }
    })
  })

/**
 * For a time limit that interrupts the effect by itself: requests to models inside of it count as errors then.
 * `isLate` is true before the interruption.
 */
export const lateWhen = <A, E, R>(effect: Effect.Effect<A, E, R>, isLate: () => boolean): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => {
    const isOuterLate = fiber.getRef(IsLate)
    return Effect.provideService(effect, IsLate, () => isLate() || isOuterLate())
  })

/** Interrupts the effect after a time. Requests to models inside of it count as errors then. */
export const within = <A, E, R, B, E2, R2>(
  effect: Effect.Effect<A, E, R>,
  duration: Duration.Input,
  orElse: () => Effect.Effect<B, E2, R2>
): Effect.Effect<A | B, E | E2, R | R2> =>
  Effect.suspend(() => {
    let isLate = false
    const late = Effect.sync(() => {
      isLate = true
      return Option.none<A>()
    })
    const ended = Effect.raceFirst(
      Effect.asSome(lateWhen(effect, () => isLate)),
      Effect.andThen(Effect.sleep(duration), late)
    )
    return Effect.flatMap(
      ended,
      (found): Effect.Effect<A | B, E2, R2> => Option.isNone(found) ? orElse() : Effect.succeed(found.value)
    )
  })

type Now<A> = (fiber: Fiber.Fiber<unknown, unknown>, model: ModelEnd["model"], usage: Usage.Counters) => A

const atNow =
  <A>(of: (price: Prices.Price | undefined, usage: Usage.Counters, day: string) => A): Now<A> =>
  (fiber, model, usage) => {
    const today = Time.formatMillis(fiber.getRef(Clock.Clock).currentTimeMillisUnsafe()).slice(0, 10)
    return of(fiber.getRef(Instruments).priceOf(model), usage, today)
  }

/** The cost of a request that ends now. Undefined: not known. */
export const costNow: Now<number | undefined> = atNow(Prices.costOf)

/** Why the cost of a request that ends now is not known. */
export const gapNow: Now<string | undefined> = atNow(Prices.gapOf)
