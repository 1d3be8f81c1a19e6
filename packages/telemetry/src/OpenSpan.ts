// A span that has not ended. It is given to the sinks when it ends.
import * as Span from "@svc-runtime/domain/Span"
import { Cause, type Context, type Exit, Option, type Tracer } from "effect"
import { Hex } from "effect/encoding"
import * as Content from "./Content.ts"
import { type Room, SpanAttributes } from "./SpanAttributes.ts"

export interface Options {
  readonly name: string
  readonly kind: Span.Kind
  /** Nanoseconds since 1970. */
  readonly startTime: bigint
  readonly parent: Tracer.AnySpan | undefined
  readonly sampled: boolean
  readonly traceId: string
  /** Random, when left out. */
  readonly spanId?: string | undefined
  readonly traceState: string | null
  readonly run: Span.RunIds
  readonly isAfterRun: boolean
  readonly attributes?: Readonly<Record<string, unknown>> | undefined
  readonly links?: ReadonlyArray<Tracer.SpanLink> | undefined
  readonly annotations: Context.Context<never>
  /** Called with the ended span, if it is recorded. */
  readonly onEnd: ((span: Span.Span) => void) | undefined
}

/** More than any span needs. Further ones are left out. */
const most = { events: 128, links: 32 }

/** Authors can give any time. */
export const microseconds = (nanoseconds: bigint): number =>
  Math.max(0, Math.min(Number(nanoseconds / 1000n), Number.MAX_SAFE_INTEGER))

/** Characters of the name of a span or an event. */
const maxNameLength = 512

type Writable<A> = { -readonly [Key in keyof A]: A[Key] }

/** The limit of all events and links together. The rest is left for the attributes of the span. */
const eventLimit = Content.spanLimit / 2

/** Spans of other tracers can have ids that are not of W3C. A collector refuses a whole request because of one. */
export const isValid = (span: Tracer.AnySpan): boolean =>
  span instanceof OpenSpan || (Span.isTraceId(span.traceId.padStart(32, "0")) && Span.isSpanId(span.spanId))

/** Reading what an author has thrown can throw again. */
const errorOf = (cause: Cause.Cause<unknown>) => {
  try {
    const [error] = Cause.prettyErrors(cause)
    return error && { name: String(error.name), message: String(error.message), stack: error.stack }
  } catch {
    return undefined
  }
}

/** The run of the parent, if the parent is in this process. */
const runOf = (parent: Option.Option<Tracer.AnySpan>): string | null =>
  Option.isSome(parent) && parent.value instanceof OpenSpan ? parent.value.run.run_id : null

export class OpenSpan implements Tracer.Span {
  readonly _tag = "Span"
  name: string
  readonly kind: Span.Kind
  readonly parent: Option.Option<Tracer.AnySpan>
  readonly annotations: Context.Context<never>
  readonly links: Array<Tracer.SpanLink>
  readonly sampled: boolean
  readonly traceId: string
  readonly spanId: string
  readonly traceState: string | null
  readonly run: Span.RunIds
  readonly isAfterRun: boolean
  /** How many of its children are statements of the database. */
  statements = 0
  status: Tracer.SpanStatus
  readonly #onEnd: Options["onEnd"]
  readonly #room: Room = { left: Content.spanLimit }
  readonly #attributes = new SpanAttributes(this.#room)
  #authored: Set<string> | undefined
  #eventRoom = eventLimit
  #events: Array<Span.Event> | undefined
  #outcome: { readonly status: Span.Status; readonly message: string | null } | undefined

  constructor(options: Options) {
    this.name = Content.cut(options.name, maxNameLength)
    this.kind = options.kind
    this.parent = Option.fromNullishOr(options.parent)
    this.annotations = options.annotations
    this.links = options.links === undefined ? [] : options.links.slice(0, most.links)
    this.sampled = options.sampled
    this.traceId = options.traceId
    this.spanId = options.spanId ?? Hex.random(16)
    this.traceState = options.traceState
    this.run = options.run
    this.isAfterRun = options.isAfterRun
    this.status = { _tag: "Started", startTime: options.startTime }
    this.#onEnd = options.sampled ? options.onEnd : undefined
    if (options.attributes !== undefined) this.add(options.attributes)
  }

  get attributes(): ReadonlyMap<string, unknown> {
    return new Map(Object.entries(this.#attributes.values))
  }

  /** The value of an attribute, if the span has one of this name. */
  attributeOf(key: string): Span.AttributeValue | undefined {
    return this.#attributes.values[key]
  }

  /** Code of an author calls it, through Effect. */
  attribute(key: string, value: unknown): void {
    if (this.status._tag === "Ended" || this.#onEnd === undefined) return
    const name = this.#attributes.setRedacted(key, value)
    if (name !== undefined) (this.#authored ??= new Set()).add(name)
  }

  /** The service calls it. */
  set(key: string, value: unknown): void {
    if (this.status._tag === "Ended" || this.#onEnd === undefined) return
    const name = this.#attributes.set(key, value)
    if (name !== undefined) this.#authored?.delete(name)
  }

  add(attributes: Readonly<Record<string, unknown>>): void {
    for (const name in attributes) this.set(name, attributes[name])
  }

  /** Instead of the status that follows from the exit. */
  outcome(status: Span.Status, message: string | null = null): void {
    this.#outcome = { status, message }
  }

  event(name: string, startTime: bigint, attributes: Record<string, unknown> = {}): void {
    if (this.status._tag === "Ended" || this.#onEnd === undefined) return
    this.#events ??= []
    if (this.#events.length >= most.events) return
    this.#events.push({
      name: Content.cut(Content.redacted(name), maxNameLength),
      time: microseconds(startTime),
      attributes: this.#beside(attributes)
    })
  }

  /** Attributes of an event or a link. */
  #beside(given: Readonly<Record<string, unknown>>): Span.Attributes {
    const room: Room = { left: Math.min(this.#eventRoom, this.#room.left) }
    const before = room.left
    const attributes = new SpanAttributes(room)
    attributes.setAll(given)
    this.#eventRoom -= before - room.left
    this.#room.left -= before - room.left
    return attributes.values
  }

  #linkOf({ attributes, span }: Tracer.SpanLink): Span.Link {
    const [trace_id, span_id] = [span.traceId.padStart(32, "0"), span.spanId]
    return { trace_id, span_id, attributes: this.#beside(attributes) }
  }

  addLinks(links: ReadonlyArray<Tracer.SpanLink>): void {
    if (this.status._tag === "Ended") return
    for (const link of links) if (this.links.length < most.links) this.links.push(link)
  }

  end(endTime: bigint, exit: Exit.Exit<unknown, unknown>): void {
    if (this.status._tag === "Ended") return
    const { startTime } = this.status
    if (this.#onEnd !== undefined) this.#onEnd(this.#ended(startTime, endTime, exit))
    this.status = { _tag: "Ended", startTime, endTime, exit }
  }

  #ended(startTime: bigint, endTime: bigint, exit: Exit.Exit<unknown, unknown>): Span.Span {
    const { message, status } = this.#outcome ?? this.#outcomeOf(exit, endTime)
    const started_at = microseconds(startTime)
    const { agent_id, database, run_id, run_started_at, session_id, team_id, user_id, workflow_id } = this.run
    const span: Writable<Span.Span> = {
      trace_id: this.traceId,
      span_id: this.spanId,
      parent_span_id: Option.isSome(this.parent) ? this.parent.value.spanId : null,
      trace_state: this.traceState,
      name: this.name,
      kind: this.kind,
      started_at,
      // the start can be the time of another node
      ended_at: Math.max(started_at, microseconds(endTime)),
      status,
      status_message: message === null ? null : Content.redacted(message),
      attributes: this.#attributes.values,
      events: this.#events ?? [],
      links: this.links.length === 0
        ? []
        : this.links.filter(({ span }) => isValid(span)).map((link) => this.#linkOf(link)),
      is_root: run_id !== null && runOf(this.parent) === null,
      run_id,
      session_id,
      user_id,
      agent_id,
      team_id,
      workflow_id
    }
    // assigned, because a literal with conditional spreads costs several times as much
    if (this.#authored !== undefined && this.#authored.size > 0) span.authored = [...this.#authored]
    if (this.isAfterRun) span.is_after_run = true
    if (database !== undefined) span.database = database
    if (run_started_at !== undefined) span.run_started_at = run_started_at
    return span
  }

  /** An interruption is no error. */
  #outcomeOf(exit: Exit.Exit<unknown, unknown>, endTime: bigint) {
    if (exit._tag === "Success") return { status: "OK" as const, message: null }
    if (Cause.hasInterruptsOnly(exit.cause)) {
      this.set("svc.interrupted", true)
      return { status: "UNSET" as const, message: null }
    }
    const error = errorOf(exit.cause)
    const type = Content.redacted(error?.name ?? "Error")
    const message = error?.message ?? "An unknown error"
    this.set("error.type", type)
    this.event("exception", endTime, {
      "exception.type": type,
      "exception.message": Content.redacted(message),
      ...(error?.stack === undefined ? {} : { "exception.stacktrace": Content.redacted(error.stack) })
    })
    return { status: "ERROR" as const, message }
  }
}
