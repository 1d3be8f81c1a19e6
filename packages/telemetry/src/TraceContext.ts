// The W3C trace context: which trace, and which span in it, something belongs to. It comes in with requests, goes out
// with requests to servers that the author names, and is stored with runs and jobs, which other fibers and nodes
// execute later.
import * as Span from "@svc-runtime/domain/Span"
import { Clock, Context, Effect, Schema, Tracer } from "effect"
import { OpenSpan } from "./OpenSpan.ts"
import * as SpanTracer from "./SpanTracer.ts"
import * as TraceIds from "./TraceIds.ts"

const pattern = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

/** The limits of the recommendation. */
const maxStateLength = 512
const maxMembers = 32

const memberRule = /^[a-z\d][a-z\d_\-*/@]*=[\x20-\x2b\x2d-\x3c\x3e-\x7e]+$/

/** Members can be empty, where several headers were joined. */
const isState = (text: string): boolean => {
  const members = text.split(",").map((member) => member.trim()).filter((member) => member !== "")
  return members.length > 0 && members.length <= maxMembers && members.every((member) => memberRule.test(member))
}

const stateOf = (given: unknown): string | null =>
  typeof given === "string" && given.length <= maxStateLength && isState(given) ? given : null

/** No span of the trace is known: the next one is its root. */
const noSpan = "0".repeat(16)

/** The headers, or fields of the same names. Undefined if `traceparent` is missing or invalid. */
export const parse = (fields: Readonly<Record<string, unknown>>): Tracer.ExternalSpan | undefined => {
  const given = fields["traceparent"]
  const match = typeof given === "string" && given.length <= 256 ? pattern.exec(given) : null
  if (match === null) return undefined
  const [, version, traceId = "", spanId = "", flags = "", more] = match
  // versions to come may have more fields
  if (version === "ff" || (version === "00" && more !== undefined)) return undefined
  if (!Span.isTraceId(traceId) || spanId === noSpan) return undefined
  return external({ traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 }, stateOf(fields["tracestate"]))
}

const external = (
  span: Pick<Tracer.ExternalSpan, "traceId" | "spanId" | "sampled">,
  state: string | null
): Tracer.ExternalSpan => Tracer.externalSpan({ ...span, annotations: Context.make(SpanTracer.TraceState, state) })

/** The stored form: a trace, and the parent of its next span. */
export const Stored = Schema.Struct({
  traceparent: Schema.String,
  tracestate: Schema.optionalKey(Schema.String),
  /** The run around. */
  run: Schema.optionalKey(Span.RunIds)
})
export type Stored = typeof Stored.Type

const decodeStored = Schema.decodeUnknownOption(Stored)

export interface RunTrace {
  readonly traceId: string
  readonly sampled: boolean
  readonly state: string | null
  /** The parent of the next span. Without one, the next span is the root of the trace. */
  readonly parent: Tracer.ExternalSpan | undefined
  readonly run: Span.RunIds | undefined
}

/** Reads a stored trace context, if it exists and has a known form. */
export const fromStored = (value: unknown): RunTrace | undefined => {
  const stored = decodeStored(value)
  if (stored._tag === "None") return undefined
  const { run, traceparent, tracestate } = stored.value
  const match = pattern.exec(traceparent)
  if (match === null) return undefined
  const [, , traceId = "", spanId = "", flags = ""] = match
  const state = stateOf(tracestate)
  const sampled = flags === "01"
  return {
    traceId,
    sampled,
    state,
    parent: spanId === noSpan ? undefined : external({ traceId, spanId, sampled }, state),
    run
  }
}

const format = (traceId: string, spanId: string, sampled: boolean): string =>
  `00-${traceId.padStart(32, "0")}-${spanId}-${sampled ? "01" : "00"}`

const fieldsOf = (span: Tracer.AnySpan) => {
  const state = SpanTracer.stateOf(span)
  return {
    traceparent: format(span.traceId, span.spanId, span.sampled),
    ...(state === null ? {} : { tracestate: state })
  }
}

const below = (span: Tracer.AnySpan): RunTrace => {
  const { sampled, spanId } = span
  const traceId = span.traceId.padStart(32, "0")
  const state = SpanTracer.stateOf(span)
  const isInRun = span instanceof OpenSpan && span.run.run_id !== null
  return {
    traceId,
    sampled,
    state,
    parent: external({ traceId, spanId, sampled }, state),
    run: isInRun ? span.run : undefined
  }
}

/** The trace of the span around, for work that begins later. A new trace, without one. */
export const begin = Effect.withFiber((fiber): Effect.Effect<RunTrace | undefined> => {
  const tracer = SpanTracer.of(fiber)
  if (tracer === undefined) return Effect.undefined
  const span = SpanTracer.parentOf(fiber)
  if (span !== undefined) return Effect.succeed(below(span))
  const traceId = TraceIds.make(fiber.getRef(Clock.Clock).currentTimeNanosUnsafe())
  return Effect.succeed({ traceId, sampled: tracer.samples(traceId), state: null, parent: undefined, run: undefined })
})

/** A trace of its own for work that the span around has started, which decides whether it is sampled. */
export const beginApart = (traceId: string): Effect.Effect<RunTrace | undefined> =>
  Effect.withFiber((fiber) => {
    const tracer = SpanTracer.of(fiber)
    if (tracer === undefined) return Effect.undefined
    const sampled = SpanTracer.parentOf(fiber)?.sampled ?? tracer.samples(traceId)
    return Effect.succeed({ traceId, sampled, state: null, parent: undefined, run: undefined })
  })

/** As it is stored. */
export const encode = ({ parent, run, sampled, state, traceId }: RunTrace): Stored => ({
  traceparent: format(traceId, parent?.spanId ?? noSpan, sampled),
  ...(state === null ? {} : { tracestate: state }),
  ...(run === undefined ? {} : { run })
})

/** The trace of the span around, as it is stored. Undefined without one. */
export const around: Effect.Effect<Stored | undefined> = Effect.withFiber((fiber) => {
  const span = SpanTracer.of(fiber) === undefined ? undefined : SpanTracer.parentOf(fiber)
  return Effect.succeed(span === undefined ? undefined : encode(below(span)))
})

/** The span around. */
export const current: Effect.Effect<Tracer.AnySpan | undefined> = Effect.withFiber((fiber) =>
  Effect.succeed(SpanTracer.of(fiber) === undefined ? undefined : SpanTracer.parentOf(fiber))
)

/** The fields of a request to a server that the author names, which continues the trace. Undefined without a trace. */
export const outgoing: Effect.Effect<Readonly<Record<string, string>> | undefined> = Effect.withFiber((fiber) => {
  const tracer = SpanTracer.of(fiber)
  const span = tracer?.propagates === true ? SpanTracer.parentOf(fiber) : undefined
  return Effect.succeed(span === undefined ? undefined : fieldsOf(span))
})
