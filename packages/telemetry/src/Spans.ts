// Opens the spans of the service. Each function returns its effect as it is where spans are not collected.
import { Clock, Effect, type Exit, References, Tracer } from "effect"
import { OpenSpan } from "./OpenSpan.ts"
import * as SpanTracer from "./SpanTracer.ts"

export interface Opening extends SpanTracer.Opening {
  /** Instead of the span around. Null: none, because a trace begins. */
  readonly parent?: Tracer.AnySpan | null | undefined
  readonly startTime?: bigint | undefined
}

interface Content {
  /** Whether the span has prompts, answers, arguments and results. */
  readonly hasContent: boolean
}

export interface Scope extends Content {
  /** Whether traces of callers are continued. */
  readonly propagates: boolean
  readonly around: Tracer.AnySpan | undefined
}

export interface Ends<A, E> {
  /** Whether it can have another parent than the span around, which decides whether it is sampled then. */
  readonly isElsewhere?: boolean | undefined
  /** Called when the span is open. */
  readonly begin?: ((span: OpenSpan, tracer: SpanTracer.SpanTracer, time: bigint) => void) | undefined
  /** Adds attributes and events when the span ends. */
  readonly close?: ((span: OpenSpan, exit: Exit.Exit<A, E>, scope: Content, time: bigint) => void) | undefined
}

/** Opens a span around an effect. */
export const around = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  open: (scope: Scope) => Opening,
  { begin, close, isElsewhere = false }: Ends<A, E> = {}
): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber): Effect.Effect<A, E, R> => {
    const tracer = SpanTracer.of(fiber)
    if (tracer === undefined) return effect
    const around = SpanTracer.parentOf(fiber)
    const isLeftOut = around?._tag === "Span" && !around.sampled
    if (isLeftOut && !isElsewhere) return effect
    const clock = fiber.getRef(Clock.Clock)
    const now = clock.currentTimeNanosUnsafe()
    const begun = clock.monotonicTimeNanosUnsafe()
    const opening = open({ hasContent: tracer.hasContent, propagates: tracer.propagates, around })
    if (isLeftOut && opening.parent === undefined) return effect
    const parent = opening.parent === undefined ? around : opening.parent ?? undefined
    const span = tracer.open(opening, parent, opening.startTime ?? now)
    if (span.sampled) begin?.(span, tracer, now)
    const within = Effect.provideService(effect, Tracer.ParentSpan, span)
    return Effect.onExit(
      fiber.cache.tracerEnabled ? Effect.provideService(within, References.TracerEnabled, false) : within,
      (exit) => {
        // the wall clock may be set meanwhile
        const time = now + clock.monotonicTimeNanosUnsafe() - begun
        if (span.sampled) close?.(span, exit, tracer, time)
        span.end(time, exit)
        return Effect.void
      }
    ) as Effect.Effect<A, E, R>
  })

/** Adds to the span around. */
export const annotate = (add: (span: OpenSpan, scope: Content) => void): Effect.Effect<void> =>
  Effect.withFiber((fiber) => {
    const [tracer, span] = [SpanTracer.of(fiber), SpanTracer.parentOf(fiber)]
    if (tracer !== undefined && span instanceof OpenSpan && span.sampled) add(span, tracer)
    return Effect.void
  })

/** Code of authors: the spans that it opens become children of the span around. */
export const authored = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) =>
    SpanTracer.of(fiber) !== undefined && SpanTracer.parentOf(fiber)?.sampled === true
      ? Effect.provideService(effect, References.TracerEnabled, true)
      : effect
  )

/** Where statements have spans, the statements of the effect are inside of the given one. */
export const ofStatements = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  parentOf: (tracer: SpanTracer.SpanTracer, clock: Clock.Clock) => OpenSpan | undefined
): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => {
    const tracer = SpanTracer.of(fiber)
    const parent = tracer?.hasStatements === true ? parentOf(tracer, fiber.getRef(Clock.Clock)) : undefined
    return parent === undefined ? effect : Effect.provideService(effect, Tracer.ParentSpan, parent)
  })

/** The limit of statements that have a span below one span. Further statements have none. */
const maxStatements = 256

/**
 * A statement of the database. Without a span of its own, inside of code of authors, Effect's spans of it are left out.
 */
export const statement = <A, E, R>(effect: Effect.Effect<A, E, R>, open: () => Opening): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => {
    const tracer = SpanTracer.of(fiber)
    if (tracer === undefined) return effect
    const parent = tracer.hasStatements ? SpanTracer.parentOf(fiber) : undefined
    if (parent instanceof OpenSpan && parent.sampled && parent.statements < maxStatements) {
      parent.statements++
      return around(effect, open)
    }
    return fiber.cache.tracerEnabled ? Effect.provideService(effect, References.TracerEnabled, false) : effect
  })
