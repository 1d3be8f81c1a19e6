// Opens the spans of the service. Each function returns its effect as it is where spans are not collected.
import { Clock, Effect, type Exit, References, Tracer } from "effect"
import type { OpenSpan } from "./OpenSpan.ts"
import * as SpanTracer from "./SpanTracer.ts"

export interface Opening extends Omit<SpanTracer.Opening, "startTime" | "parent"> {
  /** Instead of the span around. */
  readonly parent?: Tracer.AnySpan
  readonly startTime?: bigint
}

export interface Scope {
  /** Whether the span has prompts, answers, arguments and results. */
  readonly hasContent: boolean
}

/** Opens a span around an effect. `close` adds what is known at its end. */
export const around = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  open: (scope: Scope) => Opening,
  close?: (span: OpenSpan, exit: Exit.Exit<A, E>, scope: Scope) => void
): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber): Effect.Effect<A, E, R> => {
    const tracer = SpanTracer.of(fiber)
    if (tracer === undefined) return effect
    const around = SpanTracer.parentOf(fiber)
    if (around?._tag === "Span" && !around.sampled) return effect
    const opening = open(tracer)
    const clock = fiber.getRef(Clock.Clock)
    const span = tracer.open({ startTime: clock.currentTimeNanosUnsafe(), parent: around, ...opening })
    const within = Effect.provideService(effect, Tracer.ParentSpan, span)
    return Effect.onExit(
      fiber.cache.tracerEnabled ? Effect.provideService(within, References.TracerEnabled, false) : within,
      (exit) =>
        Effect.sync(() => {
          if (span.sampled) close?.(span, exit, tracer)
          span.end(clock.currentTimeNanosUnsafe(), exit)
        })
    ) as Effect.Effect<A, E, R>
  })

/** Code of authors: the spans that it opens become children of the span around. */
export const authored = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) =>
    SpanTracer.of(fiber) !== undefined && SpanTracer.parentOf(fiber)?.sampled === true
      ? Effect.provideService(effect, References.TracerEnabled, true)
      : effect
  )
