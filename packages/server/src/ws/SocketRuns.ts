// The commands of a workflow socket that act on runs. Each becomes a call of the run service, and its result a frame or
// a run that the socket follows. When a socket closes, its runs continue, except those started with
// `on_disconnect: "cancel"`.
import type {
  FactoryError,
  FactoryPermissionError,
  FactoryValidationError
} from "@svc-runtime/agents/factory/FactoryErrors"
import * as FactoryInput from "@svc-runtime/agents/factory/FactoryInput"
import * as RunOptions from "@svc-runtime/agents/runService/RunOptions"
import type { RunService } from "@svc-runtime/agents/runService/RunService"
import type { ComponentNotFound } from "@svc-runtime/agents/runService/RunServiceErrors"
import * as StoredRun from "@svc-runtime/agents/runService/StoredRun"
import { CurrentPrincipal } from "@svc-runtime/api"
import * as Run from "@svc-runtime/domain/Run"
import * as RunOption from "@svc-runtime/domain/RunOption"
import type * as Session from "@svc-runtime/domain/Session"
import type { ContinueRejected } from "@svc-runtime/engine/run/ContinueRejected"
import type { RunNotFound } from "@svc-runtime/engine/run/RunErrors"
import type { RunHandle } from "@svc-runtime/engine/run/RunHandle"
import * as RequestCaller from "@svc-runtime/http/authorization/RequestCaller"
import * as KnowledgeFilters from "@svc-runtime/http/forms/KnowledgeFilters"
import * as RequestId from "@svc-runtime/http/requests/RequestId"
import { continueText, type RunError, type runErrors, toWireError } from "@svc-runtime/http/wire/runErrors"
import { Effect, Result, type Stream } from "effect"
import * as socketEvents from "./SocketEvents.ts"
import { error, error as errorFrame, type Frame, type SocketMessage } from "./SocketMessage.ts"

// The errors of the run service as the text of an `error` frame, by their tag. Most have the text of HTTP.

const textOf = (error: RunError): Effect.Effect<string> =>
  Effect.match(toWireError(error), { onFailure: ({ detail }) => detail, onSuccess: String })

const factoryText = (error: FactoryError | FactoryPermissionError | FactoryValidationError) =>
  Effect.map(textOf(error), (detail) => `Factory error: ${detail}`)

const rejection = (error: ContinueRejected): string => {
  const { field, message, reason, status } = error
  if (reason === "notPaused" || status !== undefined) return `Run is not paused (status=${status ?? "RUNNING"})`
  return field === "step_requirements" ? `Invalid step_requirements: ${message}` : continueText(error)
}

const overrides = {
  ComponentNotFound: ({ id }: ComponentNotFound) => Effect.succeed(`Workflow ${id} not found`),
  ContinueRejected: (error: ContinueRejected) => Effect.succeed(rejection(error)),
  FactoryError: factoryText,
  FactoryPermissionError: factoryText,
  FactoryValidationError: factoryText,
  RunNotFound: ({ run_id }: RunNotFound) => Effect.succeed(`Run ${run_id} not found`)
}

type Tag = keyof typeof runErrors
const isOverridden = (tag: Tag): tag is keyof typeof overrides => tag in overrides

/** An internal failure. The log has the cause under the id that the client has of the handshake. */
const defectFrame = Effect.fnUntraced(function*(defect: unknown) {
  const request_id = yield* RequestId.current
  yield* Effect.annotateLogs(Effect.logError("A message of a socket could not be handled", defect), { request_id })
  return errorFrame(`The service failed to respond. Its log says more under request_id ${request_id}.`)
})

const toFrame = (error: RunError): Effect.Effect<Frame> => {
  const text = isOverridden(error._tag) ? overrides[error._tag](error as never) : textOf(error)
  return Effect.map(text, errorFrame)
}

type Service = RunService["Service"]

/** A run that is followed from now on. */
export interface Followed {
  readonly run_id: Run.Id
  /** Texts, each of them a message, in the form that the client has asked for. */
  readonly texts: (form: socketEvents.Form) => Stream.Stream<string>
  /** Executed if the socket closes before the last of them. */
  readonly onGone: Effect.Effect<void>
}

export type Reply = { readonly frame: Frame } | { readonly followed: Followed }

const refuse = (text: string): Reply => ({ frame: error(text) })

const given = <A>(value: A | null | undefined): A | undefined => value ?? undefined

const componentOf = (id: string) => ({ kind: "workflow", id }) as const

/** Null means absent, as in all fields of a message. */
const inputOf = ({ factory_input }: SocketMessage) => FactoryInput.value(given(factory_input))

const followed = (run: RunHandle, { on_disconnect }: SocketMessage): Reply => {
  const { events, run: { run_id } } = run
  const texts = (form: socketEvents.Form) => socketEvents.live(run_id, events, form)
  return { followed: { run_id, texts, onGone: StoredRun.onDisconnect(run, on_disconnect) } }
}

/** A defect is a reply as well, because the socket follows other runs. */
const replied = <R>(command: Effect.Effect<Reply, Parameters<typeof toFrame>[0], R>): Effect.Effect<Reply, never, R> =>
  command.pipe(
    Effect.catch((error) => Effect.map(toFrame(error), (frame) => ({ frame }))),
    Effect.catchDefect((defect) => Effect.map(defectFrame(defect), (frame) => ({ frame })))
  )

/** Starts a run and follows it. */
export const start = Effect.fnUntraced(function*(service: Service, workflowId: string, message: SocketMessage) {
  const inherited = KnowledgeFilters.inherited(message)
  if (Result.isFailure(inherited)) return refuse(inherited.failure)
  const run = yield* service.start({
    component: componentOf(workflowId),
    caller: yield* RequestCaller.current(null),
    message: message.message ?? "",
    run_id: given(message.run_id),
    session_id: given(message.session_id),
    user_id: given(message.user_id),
    version: given(message.version),
    factoryInput: inputOf(message),
    options: {
      ...RunOptions.defaults,
      ...RunOption.valuesOf(RunOption.start, message),
      ...inherited.success,
      stream: true,
      background: true
    }
  })
  return followed(run, message)
}, replied)

export interface RunPath {
  readonly workflowId: string
  readonly run_id: Run.Id
  readonly session_id: Session.Id | undefined
}

/** Continues a paused run with decisions and follows it. */
export const resume = Effect.fnUntraced(
  function*(service: Service, { run_id, session_id, workflowId }: RunPath, message: SocketMessage) {
    const run = yield* service.continue({
      component: componentOf(workflowId),
      caller: yield* RequestCaller.current(null),
      run_id,
      session_id,
      user_id: given(message.user_id),
      factoryInput: inputOf(message),
      decisions: {
        requirements: given(message.requirements),
        step_requirements: given(message.step_requirements),
        error_requirements: given(message.error_requirements)
      },
      input: undefined,
      fork: undefined,
      stream: true,
      background: false
    })
    // an approval or another request has resumed it
    return run._tag === "Repeated"
      ? refuse(`Run is not paused (status=${run.watched.status})`)
      : followed(run, message)
  },
  (resumed, _, { run_id }) =>
    replied(Effect.catchTag(resumed, "ComponentNotFound", () => Effect.succeed(refuse(`Run ${run_id} not found`))))
)

export interface Subscription extends Omit<RunPath, "workflowId"> {
  readonly workflowId: string | undefined
}

/** Watches a run again, behind the last event that the client has. */
export const reconnect = Effect.fnUntraced(
  function*(service: Service, { run_id, session_id, workflowId }: Subscription, message: SocketMessage) {
    const after = message.last_event_index ?? -1
    const component = workflowId === undefined ? undefined : componentOf(workflowId)
    const watched = yield* service.watch({
      caller: yield* RequestCaller.current(null),
      component,
      run_id,
      session_id,
      after
    })
    const followed: Followed = {
      run_id,
      texts: () =>
        Run.hasEnded(watched.status)
          ? socketEvents.replayed(run_id, watched, after)
          : socketEvents.caughtUp(run_id, watched, after),
      onGone: Effect.void
    }
    return { followed }
  },
  (watching, _, { run_id }) => {
    const notFound = CurrentPrincipal.useSync(({ isIsolated }) =>
      refuse(isIsolated ? `Run ${run_id} not found` : `Run ${run_id} not found in buffer or database`)
    )
    return replied(Effect.catchTags(watching, { ComponentNotFound: () => notFound, RunNotFound: () => notFound }))
  }
)

/** Requests the end of a run. */
export const cancel = Effect.fnUntraced(
  function*(service: Service, { run_id, session_id, workflowId }: RunPath) {
    const caller = yield* RequestCaller.current(null)
    const isFound = yield* service.cancel({ caller, component: componentOf(workflowId), run_id, session_id })
    if (!isFound) return refuse(`Run ${run_id} not found`)
    const reply: Reply = {
      frame: { event: "cancel_requested", run_id, message: "The run ends with a WorkflowCancelled event" }
    }
    return reply
  },
  replied
)
