// The span of a run: `invoke_agent` of agents and teams, `invoke_workflow` of workflows. The leader of a
// team has no span of its own. Only requests to models have tokens, because backends add up the tokens of all spans.
import type * as AnyRun from "@svc-runtime/domain/AnyRun"
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import type * as Json from "@svc-runtime/domain/Json"
import type * as StepOutput from "@svc-runtime/domain/StepOutput"
import * as Tenant from "@svc-runtime/domain/Tenant"
import { type Effect, Exit, Option, Tracer } from "effect"
import * as Content from "./Content.ts"
import type { OpenSpan } from "./OpenSpan.ts"
import * as Spans from "./Spans.ts"
import type { SpanTracer } from "./SpanTracer.ts"
import type { RunTrace } from "./TraceContext.ts"

export interface Subject {
  readonly component: {
    readonly kind: ComponentKind.ComponentKind
    readonly id: string
    readonly name: string
    /** The address of an agent of another service. */
    readonly remote?: { readonly address: string } | undefined
  }
  readonly run_id: string
  readonly session_id: string
  readonly user_id: string | undefined
  readonly attempt: number
  /** Left out: `addInput` adds it. */
  readonly input?: Json.Value | undefined
  readonly attributes?: Readonly<Record<string, unknown>> | undefined
  /** Of a stored component. */
  readonly version?: number | undefined
  /** The trace of a root run. A member run is a part of the trace around it. */
  readonly root?: Root | undefined
}

/** The place of a root run in its trace. Another fiber than that of its request executes it. */
export interface Root {
  /** The database of the run. */
  readonly database: string | undefined
  readonly trace: RunTrace
  readonly isResumed: boolean
  /** The span of the request that has continued the run. */
  readonly requested: Tracer.AnySpan | undefined
  /** The id of the request that starts or continues the run. */
  readonly requestId?: string | undefined
  /** The span of the job that has started the run in a trace of its own. */
  readonly job?: Tracer.AnySpan | undefined
  /** When the run began, in seconds since 1970. Left out: with its span, because it is not continued. */
  readonly startedAt?: number | undefined
  /** When it began to wait in the session queue. Left out: it did not. */
  readonly waitingSince?: bigint | undefined
}

/** How runs end, as the engine stores it. None: it continues elsewhere. */
type Result = Option.Option<{ readonly output: AnyRun.Output }>

/** Literals without computed names: objects of one form are cheap. */
const ofKind = ({ id, kind, name }: Subject["component"]) => {
  const { operation } = ComponentKind.descriptions[kind]
  switch (kind) {
    case "agent":
      return { "gen_ai.operation.name": operation, "gen_ai.agent.name": name, "svc.agent.id": id }
    case "team":
      return { "gen_ai.operation.name": operation, "gen_ai.agent.name": name, "svc.team.id": id }
    case "workflow":
      return { "gen_ai.operation.name": operation, "gen_ai.workflow.name": name, "svc.workflow.id": id }
  }
}

const describe = (span: OpenSpan, subject: Subject, hasContent: boolean) => {
  const { attempt, attributes, component, input, root, run_id, session_id, user_id, version } = subject
  span.add(ofKind(component))
  span.set("gen_ai.conversation.id", session_id)
  span.set("openinference.span.kind", ComponentKind.descriptions[component.kind].spanKind)
  span.set("session.id", session_id)
  span.set("user.id", user_id)
  const tenant = user_id === undefined ? undefined : Tenant.of(user_id)
  if (tenant !== undefined) span.set("svc.tenant", tenant)
  span.set("svc.run.id", run_id)
  span.set("svc.session.id", session_id)
  span.set("svc.attempt", attempt)
  if (root?.requestId !== undefined) span.set("svc.request.id", root.requestId)
  if (version !== undefined) span.set("svc.component.version", version)
  if (component.remote !== undefined) span.set("server.address", component.remote.address)
  if (attributes !== undefined) span.add(attributes)
  if (hasContent) span.add(Content.attributesOf("input", input))
}

/** Adds the input of the run around, as its hooks have left it. */
export const addInput = (input: Json.Value): Effect.Effect<void> =>
  Spans.annotate((span, { hasContent }) => {
    if (hasContent) span.add(Content.attributesOf("input", input))
  })

/** The answer of the run around did not have the form of its schema at first. */
export const outputRepaired = (how: "taken out" | "requested again"): Effect.Effect<void> =>
  Spans.annotate((span) => span.set("svc.output.repaired", how))

const textOfError = ({ content }: AnyRun.Output): string => Content.textOf(content ?? "The run failed")

const ended = (span: OpenSpan, output: AnyRun.Output, hasContent: boolean) => {
  span.set("svc.run.status", output.status)
  if (output.status === "ERROR") {
    span.set("error.type", "run_error")
    return span.outcome("ERROR", textOfError(output))
  }
  if (output.status !== "COMPLETED") return span.outcome("UNSET")
  if (hasContent) span.add(Content.attributesOf("output", output.content))
}

/** The same on every node, so that a later attempt can name it. */
export const spanIdOf = (run_id: string, attempt: number): string => {
  let [high, low] = [0xdeadbeef ^ attempt, 0x41c6ce57 ^ attempt]
  for (let index = 0; index < run_id.length; index++) {
    const code = run_id.charCodeAt(index)
    high = Math.imul(high ^ code, 2654435761)
    low = Math.imul(low ^ code, 1597334677)
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909)
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909)
  return [high, low].map((half) => (half >>> 0).toString(16).padStart(8, "0")).join("")
}

/** The trace of a run that has its own. The same on every node, so that a later attempt of its job can name it. */
export const traceIdOf = (run_id: string): string => `${spanIdOf(run_id, 0)}${spanIdOf(run_id, -1)}`

const linksOf = ({ attempt, run_id }: Place, { isResumed, job, requested, trace: { sampled, traceId } }: Root) => [
  ...(isResumed && attempt > 1
    ? [{
      span: Tracer.externalSpan({ traceId, spanId: spanIdOf(run_id, attempt - 1), sampled }),
      attributes: { "svc.link": "earlier_attempt" }
    }]
    : []),
  ...(requested === undefined ? [] : [{ span: requested, attributes: { "svc.link": "request" } }]),
  ...(job === undefined ? [] : [{ span: job, attributes: { "svc.link": "job" } }])
]

const placeOf = (subject: Place, root: Root | undefined) => {
  if (root === undefined) return {}
  const { trace: { parent = null, sampled, traceId }, waitingSince } = root
  return {
    parent,
    traceId,
    sampled,
    spanId: spanIdOf(subject.run_id, subject.attempt),
    links: linksOf(subject, root),
    ...(waitingSince === undefined ? {} : { startTime: waitingSince })
  }
}

/** The time in the session queue. */
const waited = (parent: OpenSpan, tracer: SpanTracer, since: bigint, until: bigint) =>
  tracer.open({ name: "session_queue", attributes: { "openinference.span.kind": "CHAIN" } }, parent, since)
    .end(until, Exit.void)

interface Place extends Pick<Subject, "run_id" | "session_id" | "user_id" | "attempt" | "root"> {
  readonly component: Pick<Subject["component"], "kind" | "id" | "remote">
}

const openingOf = (subject: Place): Spans.Opening => {
  const { component: { id, kind, remote }, root, run_id, session_id, user_id = null } = subject
  return {
    name: `${ComponentKind.descriptions[kind].operation} ${id}`,
    kind: remote === undefined ? "internal" : "client",
    run: {
      run_id,
      session_id,
      user_id,
      ...ComponentKind.idsOf(kind, id),
      ...(root?.database === undefined ? {} : { database: root.database }),
      ...(root?.startedAt === undefined ? {} : { run_started_at: root.startedAt * 1_000_000 })
    },
    ...placeOf(subject, root)
  }
}

export const around = <A extends Result, E, R>(effect: Effect.Effect<A, E, R>, subject: Subject) => {
  const since = subject.root?.waitingSince
  return Spans.around(effect, () => openingOf(subject), {
    isElsewhere: true,
    begin: (span, tracer, now) => {
      describe(span, subject, tracer.hasContent)
      if (since !== undefined) waited(span, tracer, since, now)
    },
    close: (span, exit: Exit.Exit<A, E>, { hasContent }) => {
      if (exit._tag === "Failure") return
      if (Option.isNone(exit.value)) {
        span.set("svc.handed_over", true)
        span.outcome("UNSET")
      } else ended(span, exit.value.value.output, hasContent)
    }
  })
}

/** What stores the end of a root run: its statements are inside of the span of the run, which has ended. */
export const afterEnd = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  subjectOf: () => Place | undefined
): Effect.Effect<A, E, R> =>
  Spans.ofStatements(effect, (tracer, clock) => {
    const subject = subjectOf()
    if (subject === undefined) return undefined
    const opening: Spans.Opening = openingOf(subject)
    return tracer.open(opening, opening.parent ?? undefined, clock.currentTimeNanosUnsafe())
  })

/** A workflow in a step of another one. `isError`: the others are pauses and rejections. */
export const nested = <A extends { readonly output: StepOutput.StepOutput }, E, R>(
  effect: Effect.Effect<A, E, R>,
  subject: Subject,
  isError: (error: E) => boolean
) =>
  Spans.around(effect, () => openingOf(subject), {
    begin: (span, tracer) => describe(span, subject, tracer.hasContent),
    close: (span, exit: Exit.Exit<A, E>, { hasContent }) => {
      if (exit._tag === "Success") {
        if (hasContent) span.add(Content.attributesOf("output", exit.value.output.content))
        return
      }
      const [reason] = exit.cause.reasons
      if (reason?._tag === "Fail" && !isError(reason.error)) span.outcome("UNSET")
    }
  })
