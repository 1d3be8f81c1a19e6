// What is done for those who may: workflows are started, continued, cancelled and watched over a socket. A refusal is one
// frame; a run is followed by a stream of frames, which is only a place in its events: whoever reads slowly costs nothing.
// A socket that closes is one watcher less, and the run goes on, unless it was asked for that it should not.
import { CurrentPrincipal, type Errors } from "@svc/api"
import { Ids, Run, type RunEvent, type Session, Workflow } from "@svc/domain"
import {
  type AnyWorkflow,
  type ContinueRejected,
  FactoryInput,
  factoryRun,
  type IdempotencyStore,
  type RunEngine,
  type RunFilter,
  type RunHandedOver,
  RunOptions,
  type RunService,
  type StorageUnavailable,
  type StoredRuns,
  type Watched,
  type WorkflowFactory,
  type WorkflowRegistry
} from "@svc/runtime"
import { Effect, Option, Stream } from "effect"
import * as Caller from "../authorization/Caller.ts"
import { continueText } from "../handlers/continueErrors.ts"
import * as Continuing from "../handlers/Continuing.ts"
import * as FactoryResolution from "../handlers/FactoryResolution.ts"
import { toWire } from "../handlers/runErrors.ts"
import * as WorkflowRunContinue from "../handlers/WorkflowRunContinue.ts"
import { storageUnavailable } from "../WireErrors.ts"
import { error, type Frame, type SocketMessage } from "./SocketMessage.ts"

export interface Services {
  readonly engine: RunEngine["Service"]
  readonly service: RunService["Service"]
  readonly registry: WorkflowRegistry["Service"]
  readonly runs: StoredRuns["Service"]
  readonly idempotency: IdempotencyStore["Service"]
  readonly resolution: FactoryResolution.Options
}

/** A run that is followed from now on. */
export interface Followed {
  readonly run_id: Run.Id
  /** Texts, each of them a message. */
  readonly texts: Stream.Stream<string>
  /** Done when the socket closes before the last of them. */
  readonly onGone: Effect.Effect<void>
}

export type Reply = { readonly frame: Frame } | { readonly followed: Followed }

const refuse = (text: string): Reply => ({ frame: error(text) })

/** What the handlers of requests refuse, in one frame. */
const refusal = ({ detail }: { readonly detail: string }) => Effect.succeed(refuse(detail))

const json = (value: unknown) => JSON.stringify(value)

/** To the socket that has it going: in the form of server-sent events, as clients of this contract read them. */
const live = (event: RunEvent.RunEvent): string => `event: ${event.event}\ndata: ${json(event)}\n\n`

const isShown = ({ event }: RunEvent.RunEvent) => event !== "StepOutput"

const broken = (run_id: string) => (_: StorageUnavailable | RunHandedOver) =>
  Stream.succeed(json(error(`Subscription failed: run ${run_id} goes on, reconnect to it`)))

const following = (run_id: Run.Id, events: Watched["events"], text: (event: RunEvent.RunEvent) => string) =>
  events.pipe(Stream.filter(isShown), Stream.map(text), Stream.catch(broken(run_id)))

/** Of those behind an index. */
const followedFrom = Effect.fnUntraced(function*(
  { engine }: Pick<Services, "engine">,
  run: { readonly run_id: Run.Id; readonly session_id: Session.Id },
  filter: RunFilter,
  after: number,
  { on_disconnect }: SocketMessage
) {
  const watched = yield* engine.watch({ ...run, filter, after })
  const cancel = engine.cancel({ ...run, filter })
  const followed: Followed = {
    run_id: run.run_id,
    texts: Option.isNone(watched) ? Stream.empty : following(run.run_id, watched.value.events, live),
    onGone: on_disconnect === "cancel" ? Effect.ignore(cancel, { log: true }) : Effect.void
  }
  return { followed }
})

const unavailable = ({ detail }: Pick<Errors.Unavailable, "detail">) => Effect.succeed(refuse(detail))
const storageFailed = (error: StorageUnavailable) => unavailable(storageUnavailable(error))

const given = <A>(value: A | null | undefined): A | undefined => value ?? undefined

type Registered = AnyWorkflow | WorkflowFactory.WorkflowFactory

/** Null means nothing, as in all fields of a message. */
const inputOf = ({ factory_input }: SocketMessage) => FactoryInput.value(given(factory_input))

const factoryFailed = ({ detail }: { readonly detail: string }) => Effect.succeed(refuse(`Factory error: ${detail}`))
const factoryFrames = {
  FactoryValidationError: factoryFailed,
  FactoryPermissionError: factoryFailed,
  FactoryError: factoryFailed
}

/** Starts a run and follows it. */
export const start = Effect.fnUntraced(
  function*(services: Services, registered: Registered, message: SocketMessage) {
    const { run } = yield* toWire(
      services.service.start({
        component: { kind: "workflow", id: registered.id },
        caller: yield* Caller.current(null),
        message: message.message ?? "",
        run_id: given(message.run_id),
        session_id: given(message.session_id),
        user_id: given(message.user_id),
        factoryInput: inputOf(message),
        options: { ...RunOptions.defaults, stream: true, background: true, ifBusy: message.if_busy ?? "queue" }
      })
    )
    return yield* followedFrom(services, run, yield* WorkflowRunContinue.filterOf(registered), -1, message)
  },
  (started) =>
    Effect.catchTags(started, {
      ...factoryFrames,
      Conflict: refusal,
      Forbidden: refusal,
      Invalid: refusal,
      NotFound: refusal,
      PayloadTooLarge: refusal,
      TooManyRequests: refusal,
      Unavailable: unavailable,
      StorageUnavailable: storageFailed
    })
)

export interface Named {
  readonly run_id: Run.Id
  readonly session_id: Session.Id
}

/** Why a workflow is not continued, in the words of a frame. The status of the run was checked before. */
const rejection = (error: ContinueRejected) => {
  const { field, message, reason } = error
  if (reason === "notPaused" || reason === "conflict") return refuse("Run is not paused (status=RUNNING)")
  return refuse(field === "step_requirements" ? `Invalid step_requirements: ${message}` : continueText(error))
}

/** Goes on with a run that waits for a person, and follows what comes. */
export const proceed = Effect.fnUntraced(
  function*(services: Services, registered: Registered, run: Named, message: SocketMessage) {
    const { runs, engine, idempotency, resolution } = services
    const continuing = { engine, idempotency, runs }
    const named = { component: { kind: "workflow", id: registered.id } as const, ...run }
    const { filter, resting: found } = yield* Continuing.restingOf(runs, named)
    if (found.status !== "PAUSED") return refuse(`Run is not paused (status=${found.status})`)
    const said = { steps: message.step_requirements ?? [], errors: message.error_requirements ?? [] }
    const user_id = (yield* Caller.ownerOfNew(message.user_id)) ?? undefined
    const caller = { session_id: run.session_id, user_id, request: null, run: factoryRun(found) }
    yield* Effect.scoped(Effect.flatMap(
      FactoryResolution.resolve(resolution, registered, { ...caller, input: inputOf(message) }),
      (resolved) =>
        Effect.flatMap(
          WorkflowRunContinue.goOn(continuing, found, { resolved, said, stream: true }),
          Option.match({ onNone: () => Effect.fail(WorkflowRunContinue.resumedByAnother()), onSome: Effect.succeed })
        )
    ))
    return yield* followedFrom(services, run, filter, found.eventCount - 1, message)
  },
  (continued, _, __, run) =>
    Effect.catchTags(continued, {
      ...factoryFrames,
      Forbidden: refusal,
      PayloadTooLarge: refusal,
      NotFound: () => Effect.succeed(refuse(`Run ${run.run_id} not found`)),
      BadRequest: refusal,
      ContinueRejected: (error) => Effect.succeed(rejection(error)),
      Unavailable: unavailable,
      StorageUnavailable: storageFailed
    })
)

const bare = (event: RunEvent.RunEvent): string => json(event)

const replayed = (run_id: Run.Id, { count, events, status }: Watched, after: number): Stream.Stream<string> => {
  const missed = Math.max(0, count - 1 - after)
  const head: RunEvent.Control = {
    event: "replay",
    run_id,
    status,
    total_events: missed,
    message: `The run has ended; ${missed} event(s) follow`
  }
  return Stream.concat(Stream.succeed(json(head)), following(run_id, events, bare))
}

const caughtUp = (run_id: Run.Id, { count, events, status }: Watched, after: number): Stream.Stream<string> => {
  const missed = Math.max(0, count - 1 - after)
  const state = { run_id, status: status === "PAUSED" ? "paused" : "running", current_event_count: count }
  const subscribed = json({ event: "subscribed", ...state, message: "What happens from here on follows as it happens" })
  const catchUp = json({
    event: "catch_up",
    ...state,
    missed_events: missed,
    message: `${missed} event(s) were missed`
  })
  if (missed === 0) return Stream.concat(Stream.succeed(subscribed), following(run_id, events, bare))
  const text = (event: RunEvent.RunEvent) => event.event_index === count - 1 ? [bare(event), subscribed] : [bare(event)]
  const texts = events.pipe(
    // the last one that was missed may be one that is not shown
    Stream.filter((event) => isShown(event) || event.event_index === count - 1),
    Stream.flatMap((event) => Stream.fromIterable(isShown(event) ? text(event) : [subscribed])),
    Stream.catch(broken(run_id))
  )
  return Stream.concat(Stream.succeed(catchUp), texts)
}

export interface Wanted {
  readonly run_id: Run.Id
  readonly session_id: Session.Id | undefined
  readonly workflowId: string | undefined
}

/** Watches a run again from where it was left. */
export const reconnect = Effect.fnUntraced(
  function*({ engine }: Services, { run_id, session_id, workflowId }: Wanted, message: SocketMessage) {
    const filter: RunFilter = {
      owner: yield* Caller.ownerOf(undefined),
      component: workflowId === undefined ? undefined : { kind: "workflow", id: workflowId }
    }
    const after = message.last_event_index ?? -1
    const request = { run_id, session_id, filter, after }
    const watched = Option.getOrUndefined(yield* engine.watch(request))
    const { isIsolated } = yield* CurrentPrincipal
    if (watched === undefined) {
      return refuse(isIsolated ? `Run ${run_id} not found` : `Run ${run_id} not found in buffer or database`)
    }
    const isOver = !Run.isUnderWay(watched.status) && watched.status !== "PAUSED"
    const followed: Followed = {
      run_id,
      texts: isOver ? replayed(run_id, watched, after) : caughtUp(run_id, watched, after),
      onGone: Effect.void
    }
    return { followed }
  },
  (watching) => Effect.catchTag(watching, "StorageUnavailable", storageFailed)
)

/** Asks for the end of a run. */
export const cancel = Effect.fnUntraced(
  function*({ engine }: Services, workflow: Registered, { run_id, session_id }: Omit<Wanted, "workflowId">) {
    const filter = yield* WorkflowRunContinue.filterOf(workflow)
    const isFound = yield* engine.cancel({ run_id, session_id, filter })
    if (!isFound) return refuse(`Run ${run_id} not found`)
    return { frame: { event: "cancel_requested", run_id, message: "The run ends with a WorkflowCancelled event" } }
  },
  (cancelling) => Effect.catchTag(cancelling, "StorageUnavailable", storageFailed)
)

/** The id may come from the path of the socket, which no schema has looked at. */
export const find = ({ registry }: Services, id: string) =>
  Ids.isExact(id) ? Effect.option(registry.find(Workflow.Id.make(id))) : Effect.succeedNone
