// The spans of everything between runs, requests to models and calls of tools.
import type * as Span from "@svc-runtime/domain/Span"
import { type Effect, type Exit, Predicate } from "effect"
import * as Content from "./Content.ts"
import * as ModelRequests from "./ModelRequests.ts"
import type { OpenSpan } from "./OpenSpan.ts"
import * as ProviderNames from "./ProviderNames.ts"
import * as Spans from "./Spans.ts"
import * as TraceContext from "./TraceContext.ts"

export interface Step {
  readonly name: string
  /** `Step`, `Steps`, `Parallel`, `Loop`, `ForEach`, `Condition` or `Router`. */
  readonly type: string
  /** Of the innermost loop, or the number of the item of a list. */
  readonly iteration?: number | undefined
}

/** A pause, a rejection and a cancellation are no errors of the step. */
const stepEnded = <A, E>(
  span: OpenSpan,
  exit: Exit.Exit<A, E>,
  hasContent: boolean,
  isError: (error: unknown) => boolean
): void => {
  if (exit._tag === "Success") {
    const { value } = exit
    if (!Predicate.isObject(value)) return
    if ("success" in value && value["success"] === false) {
      span.outcome("ERROR", "error" in value && typeof value["error"] === "string" ? value["error"] : null)
    } else if (hasContent && "content" in value) span.add(Content.attributesOf("output", value["content"]))
    return
  }
  const [reason] = exit.cause.reasons
  if (reason?._tag === "Fail" && !isError(reason.error)) span.outcome("UNSET")
}

/** A step of a workflow, of any type. The steps inside of it are its children. */
export const step = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  { iteration, name, type }: Step,
  isError: (error: unknown) => boolean
): Effect.Effect<A, E, R> =>
  Spans.around(
    effect,
    () => ({
      name: `step ${name}`,
      attributes: {
        "openinference.span.kind": "CHAIN",
        "svc.step.name": name,
        "svc.step.type": type,
        "svc.step.iteration": iteration
      }
    }),
    { close: (span, exit, { hasContent }) => stepEnded(span, exit, hasContent, isError) }
  )

export interface Retrieval {
  /** The name of the knowledge base. */
  readonly knowledge: string
  readonly query: string
}

/** A search of knowledge. `describe` returns the part of a result that the span shows. */
export const retrieval = <A, E, R>(
  effect: Effect.Effect<ReadonlyArray<A>, E, R>,
  { knowledge, query }: Retrieval,
  describe: (found: A) => unknown
): Effect.Effect<ReadonlyArray<A>, E, R> =>
  Spans.around(
    effect,
    ({ hasContent }) => ({
      name: `retrieval ${knowledge}`,
      attributes: {
        "gen_ai.operation.name": "retrieval",
        "gen_ai.data_source.id": knowledge,
        "openinference.span.kind": "RETRIEVER",
        ...(hasContent ? Content.attributesOf("input", query) : {})
      }
    }),
    {
      close: (span, exit, { hasContent }) => {
        if (exit._tag === "Failure") return
        span.set("svc.retrieval.count", exit.value.length)
        if (hasContent) span.add(Content.attributesOf("output", exit.value.map(describe)))
      }
    }
  )

/** A request to an embedder. Its id is `provider:model`. */
export const embeddings = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  embedder: { readonly id: string; readonly dimensions: number | undefined },
  count: number
): Effect.Effect<A, E, R> =>
  ModelRequests.spanned(effect, () => {
    const { dimensions, id } = embedder
    const at = id.indexOf(":")
    const model = id.slice(at + 1)
    return {
      name: `embeddings ${model}`,
      kind: "client",
      attributes: {
        "gen_ai.operation.name": "embeddings",
        "gen_ai.provider.name": at < 0 ? undefined : ProviderNames.of(id.slice(0, at)).genAi,
        "gen_ai.request.model": model,
        "gen_ai.embeddings.dimension.count": dimensions,
        "embedding.model_name": model,
        "svc.embeddings.count": count,
        "openinference.span.kind": "EMBEDDING"
      }
    }
  })

/** Adds the tokens of a response to the span of its request, which can have several responses. */
export const embedded = (tokens: number): Effect.Effect<void> =>
  Spans.annotate((span) => {
    if (span.attributeOf("gen_ai.operation.name") !== "embeddings") return
    const counted = span.attributeOf("gen_ai.usage.input_tokens")
    const sum = tokens + (typeof counted === "number" ? counted : 0)
    span.add({ "gen_ai.usage.input_tokens": sum, "llm.token_count.prompt": sum, "llm.token_count.total": sum })
  })

export type MemoryOperation = "search_memory" | "create_memory" | "update_memory" | "delete_memory"

export const memory = <A, E, R>(effect: Effect.Effect<A, E, R>, operation: MemoryOperation): Effect.Effect<A, E, R> =>
  Spans.around(effect, () => ({
    name: operation,
    attributes: { "gen_ai.operation.name": operation, "openinference.span.kind": "CHAIN" }
  }))

export interface Incoming {
  readonly name: string
  readonly attributes: Span.Attributes
  /** What may have `traceparent` and `tracestate`. */
  readonly fields: Readonly<Record<string, unknown>>
}

/**
 * A message over a protocol inside of a connection or a request. It continues the trace that it names, and is linked to
 * the request then.
 */
export const message = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  { attributes, fields, name }: Incoming,
  isError: (result: A) => boolean
): Effect.Effect<A, E, R> =>
  Spans.around(
    effect,
    ({ around, propagates }) => {
      const parent = propagates ? TraceContext.parse(fields) : undefined
      return {
        name,
        kind: "server",
        attributes: { "openinference.span.kind": "CHAIN", ...attributes },
        parent,
        links: parent === undefined || around === undefined || around.spanId === parent.spanId
          ? []
          : [{ span: around, attributes: { "svc.link": "request" } }]
      }
    },
    {
      isElsewhere: true,
      close: (span, exit) => {
        if (exit._tag === "Success" && isError(exit.value)) span.outcome("ERROR")
      }
    }
  )

export interface Statement {
  readonly database: string
  /** The name of the store, and of its method. */
  readonly store: string
  readonly method: string
}

/** A method of a store, inside of the run or request that has called it. It has no values. */
export const statement = <A, E, R>(effect: Effect.Effect<A, E, R>, { database, method, store }: Statement) =>
  Spans.statement(effect, () => ({
    name: `${method} ${store}`,
    kind: "client",
    attributes: {
      "openinference.span.kind": "CHAIN",
      "db.system.name": "postgresql",
      "db.namespace": database,
      "db.collection.name": store,
      "db.operation.name": method,
      "db.query.summary": `${method} ${store}`
    }
  }))

export interface Job {
  readonly kind: string
  readonly attempts: number
  readonly session_id: string | null
  readonly user_id: string | null
  /** The stored context of the span that has enqueued it. */
  readonly trace?: unknown
}

/** One attempt of a background job. Without a span that has enqueued it, it is the root of a trace. */
export const job = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  { attempts, kind, session_id, trace, user_id }: Job
): Effect.Effect<A, E, R> =>
  Spans.around(effect, () => {
    const enqueued = TraceContext.fromStored(trace)
    return {
      name: `job ${kind}`,
      kind: "consumer",
      parent: enqueued?.parent,
      run: enqueued?.run,
      isAfterRun: enqueued?.run !== undefined,
      attributes: {
        "openinference.span.kind": "CHAIN",
        "session.id": session_id ?? undefined,
        "user.id": user_id ?? undefined,
        "svc.job.kind": kind,
        "svc.attempt": attempts
      }
    }
  }, { isElsewhere: true })
