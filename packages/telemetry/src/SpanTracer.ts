// The tracer of the service: samples traces, and gives ended spans to the sinks.
import * as Span from "@svc-runtime/domain/Span"
import { Context, type Fiber, Option, Tracer } from "effect"
import * as Content from "./Content.ts"
import { isValid, microseconds, OpenSpan } from "./OpenSpan.ts"
import * as Sampler from "./Sampler.ts"
import type { SpanSink } from "./SpanSink.ts"
import * as TraceIds from "./TraceIds.ts"

export interface Options {
  readonly sinks: ReadonlyArray<SpanSink>
  /** Default: follows the caller, and samples every trace that begins here. */
  readonly sampler?: Sampler.Sampler | undefined
  /** Whether spans have prompts, answers, arguments and results. Each sink decides what it passes on. */
  readonly hasContent?: boolean | undefined
  /** Whether requests continue the traces of their callers, and requests to servers of authors have a context. */
  readonly propagates?: boolean | undefined
  /** Whether statements of the database have spans. */
  readonly hasStatements?: boolean | undefined
}

export interface Opening extends Pick<Tracer.SpanOptionsNoTrace, "attributes" | "links"> {
  readonly name: string
  readonly kind?: Span.Kind | undefined
  readonly annotations?: Context.Context<never> | undefined
  readonly spanId?: string | undefined
  /** The id of a trace that begins with this span. */
  readonly traceId?: string | undefined
  /** The decision about a trace that begins with this span. Left out: the sampler decides. */
  readonly sampled?: boolean | undefined
  /** The run that begins with this span. Left out: the run of the parent. */
  readonly run?: Span.RunIds | undefined
  /** Whether it is a job of the run. Left out: as the parent. */
  readonly isAfterRun?: boolean | undefined
}

/** The W3C header `tracestate` of a parent in another process. */
export class TraceState
  extends Context.Service<TraceState, string | null>()("@svc-runtime/telemetry/SpanTracer/TraceState")
{}

export const stateOf = (parent: Tracer.AnySpan | undefined): string | null => {
  if (parent === undefined) return null
  return parent instanceof OpenSpan
    ? parent.traceState
    : Context.getOrUndefined(parent.annotations, TraceState) ?? null
}

type Writable<A> = { -readonly [Key in keyof A]: A[Key] }

/** A member run is in the database of the run around it, and began with it. A job began with the run before it. */
const runOf = (run: Span.RunIds | undefined, around: Span.RunIds, startTime: bigint): Span.RunIds => {
  if (run === undefined) return around
  const ids: Writable<Span.RunIds> = { ...run }
  const database = run.database ?? around.database
  if (database !== undefined) ids.database = database
  ids.run_started_at = around.run_started_at ?? run.run_started_at ?? microseconds(startTime)
  return ids
}

export class SpanTracer implements Tracer.Tracer {
  readonly hasContent: boolean
  readonly propagates: boolean
  readonly hasStatements: boolean
  readonly #sampler: Sampler.Sampler
  readonly #end: (span: Span.Span) => void
  readonly #takesOnlyRuns: boolean

  constructor(options: Options) {
    const { hasContent = false, hasStatements = false, propagates = true, sinks } = options
    const { sampler = Sampler.make("parentbased_always_on") } = options
    this.hasContent = hasContent
    this.propagates = propagates
    this.hasStatements = hasStatements
    this.#sampler = sampler
    this.#takesOnlyRuns = sinks.every((sink) => sink.takesOnlyRuns === true)
    const [only] = sinks
    this.#end = sinks.length === 1 && only !== undefined
      ? (span) => only.offer(span)
      : (span) => sinks.forEach((sink) => sink.offer(span))
  }

  /** Whether a trace that begins here is kept. */
  samples(traceId: string): boolean {
    return this.#sampler({ traceId, parent: undefined })
  }

  /** Spans of authors, which Effect opens. */
  span(options: Parameters<Tracer.Tracer["span"]>[0]): OpenSpan {
    const parent = Option.getOrUndefined(options.parent)
    return this.open({ ...options, name: Content.redacted(options.name) }, parent, options.startTime)
  }

  open(opening: Opening, given: Tracer.AnySpan | undefined, startTime: bigint): OpenSpan {
    const { annotations = Context.empty(), attributes, isAfterRun, kind = "internal", links, name, run, spanId } =
      opening
    const parent = given !== undefined && isValid(given) ? given : undefined
    const traceId = parent?.traceId.padStart(32, "0") ?? opening.traceId ?? TraceIds.make(startTime)
    const isLocal = parent instanceof OpenSpan
    const ids = runOf(run, isLocal ? parent.run : Span.noRun, startTime)
    const decided = parent === undefined ? opening.sampled : isLocal ? parent.sampled : undefined
    return new OpenSpan({
      name,
      kind,
      startTime,
      parent,
      sampled: decided ?? this.#sampler({ traceId, parent: parent?.sampled }),
      traceId,
      spanId,
      traceState: stateOf(parent),
      run: ids,
      isAfterRun: isAfterRun ?? (isLocal && run === undefined && parent.isAfterRun),
      attributes,
      links,
      annotations,
      onEnd: this.#takesOnlyRuns && ids.run_id === null ? undefined : this.#end
    })
  }
}

/** The tracer of a fiber, if its spans are collected. */
export const of = (fiber: Fiber.Fiber<unknown, unknown>): SpanTracer | undefined => {
  const { tracer } = fiber.cache
  return tracer instanceof SpanTracer ? tracer : undefined
}

/** The surrounding span. Spans that Effect opens while its own tracing is off do not count. */
export const parentOf = (fiber: Fiber.Fiber<unknown, unknown>): Tracer.AnySpan | undefined => {
  let span = fiber.cache.span
  while (span !== undefined && Context.get(span.annotations, Tracer.DisablePropagation)) {
    span = span._tag === "Span" ? Option.getOrUndefined(span.parent) : undefined
  }
  return span
}
