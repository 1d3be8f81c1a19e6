// Going on with an agent's run: one that waits for people, with what they say; one that has failed, from its last finished
// step; one that has ended, as a new run that begins where it stopped.
import { Errors } from "@svc/api"
import { AnyRun, Run, Session } from "@svc/domain"
import {
  type Agent,
  type AgentCommand,
  type AgentContinuation,
  AgentFork,
  type ApprovalStore,
  type IdempotencyStore,
  NewId,
  type Resolved,
  type Resting,
  type RunEngine,
  type RunFilter,
  type RunStore
} from "@svc/runtime"
import { Effect, Option, Schema, type Scope } from "effect"
import type { HttpServerRequest } from "effect/http"
import * as IdempotencyKey from "../idempotency/IdempotencyKey.ts"
import * as ContinueForm from "../multipart/ContinueForm.ts"
import type { FormBody } from "../multipart/FormBody.ts"
import * as AgentContinuing from "./AgentContinuing.ts"
import * as RunAnswer from "./RunAnswer.ts"
import { sessionBusy, sessionNotFound, storageUnavailable } from "./translate.ts"

export interface Services {
  readonly engine: RunEngine["Service"]
  readonly idempotency: IdempotencyStore["Service"]
  readonly runs: RunStore["Service"]
  readonly approvals: ApprovalStore["Service"]
}

export interface Asked<E, R> {
  readonly agent_id: Agent.Agent["id"]
  /** Made only if there is a run to go on with: it may take a factory. */
  readonly resolve: (run: Resting) => Effect.Effect<Resolved<Agent.Agent>, E, R | Scope.Scope>
  readonly run_id: Run.Id
  readonly body: FormBody
  readonly request: HttpServerRequest.HttpServerRequest
}

/** What a key is kept for. */
const decodeSubject = Schema.decodeUnknownEffect(Schema.Struct({ run_id: Run.Id, session_id: Session.Id }))

interface Continuing<E, R> {
  readonly asked: Asked<E, R>
  readonly form: ContinueForm.ContinueForm
  readonly filter: RunFilter
  readonly resting: Resting
  /** Of the new run, should there be one. */
  readonly new_run_id: Run.Id
}

/** The same run goes on. */
const goOn = Effect.fnUntraced(function*<E, R>(
  { engine }: Services,
  { asked: { resolve }, form, resting }: Continuing<E, R>,
  said: AgentContinuation.Said,
  ruling: AgentContinuation.Ruling
) {
  const { background, stream } = form
  const handle = yield* AgentContinuing.goOn(engine, { resting, said, ruling, resolve, background, stream })
  return yield* RunAnswer.ofHandle(engine, handle, resting, form)
})

/** A new run goes on from what was said in this one. */
const fork = Effect.fnUntraced(function*<E, R>({ engine, runs }: Services, continuing: Continuing<E, R>) {
  const { asked, form, new_run_id, resting } = continuing
  const { from, input, regenerate } = form
  const entries = yield* Effect.mapError(
    AgentFork.plan(resting, { from, input, regenerate }),
    AgentContinuing.refused
  )
  const commandOf = ({ component: agent, lifetime }: Resolved<Agent.Agent>): AgentCommand => ({
    agent,
    lifetime,
    run_id: new_run_id,
    session_id: resting.session_id,
    user_id: resting.user_id ?? undefined,
    isolated: false,
    input: AnyRun.isAgent(resting.output) ? resting.output.input ?? { input_content: "" } : { input_content: "" },
    stream: form.stream,
    background: form.background,
    session_state: undefined,
    dependencies: form.dependencies,
    metadata: form.metadata,
    outputSchema: undefined,
    // it is part of what the run begins with
    addHistoryToContext: false,
    addDependenciesToContext: false,
    addSessionStateToContext: false,
    entries
  })
  const handle = yield* Effect.scoped(
    Effect.flatMap(asked.resolve(resting), (resolved) =>
      Effect.catchTags(engine.start(commandOf(resolved)), {
        SessionNotFound: (error) => Effect.fail(sessionNotFound(error)),
        SessionBusy: (error) => Effect.fail(sessionBusy(error)),
        RunExists: (error) => Effect.fail(Errors.conflict(error.message)),
        StorageUnavailable: (error) => Effect.fail(storageUnavailable(error))
      }))
  )
  if (regenerate && form.replaceOriginal) {
    yield* Effect.mapError(runs.supersede(resting.run_id), storageUnavailable)
  }
  return yield* RunAnswer.ofHandle(engine, handle, { run_id: new_run_id, session_id: resting.session_id }, form)
})

/**
 * Whether there is nothing to say because an approval has said it: whoever asks then wants to see the run that it has set
 * going.
 */
const isApproved = <E, R>(
  { form, resting }: Continuing<E, R>,
  { approvals }: AgentContinuation.Ruling
): boolean =>
  resting.status !== "PAUSED" && form.tools === undefined && form.input === undefined && form.from === "end" &&
  !form.fork && !form.regenerate &&
  approvals.some(({ approval_type, status }) => approval_type === "required" && status !== "pending")

/** A key of a request that the factory has refused is free for another one. */
const releasing = <E, R>(continuing: Continuing<E, R>, { release }: IdempotencyKey.Claimed): Continuing<E, R> => {
  const { asked } = continuing
  const resolve = (run: Resting) => Effect.onError(asked.resolve(run), () => Effect.ignore(release, { log: true }))
  return { ...continuing, asked: { ...asked, resolve } }
}

export const respond = Effect.fnUntraced(function*<E, R>(services: Services, asked: Asked<E, R>) {
  const { agent_id, body, request, run_id } = asked
  const ruling = yield* AgentContinuing.rulingOf(services.approvals, run_id)
  const form = yield* ContinueForm.decode(body)
  const tools = yield* ContinueForm.toolsOf(form)
  const named = { agent_id, run_id, session_id: form.session_id }
  const { filter, resting } = yield* AgentContinuing.restingOf(services.runs, named)
  const isAnother = form.fork || form.regenerate || form.from !== "end" ||
    !["PAUSED", "ERROR"].includes(resting.status)
  const new_run_id = Run.Id.make((yield* NewId)())
  const continuing: Continuing<E, R> = { asked, form, filter, resting, new_run_id }
  const subject = { run_id: isAnother ? new_run_id : run_id, session_id: resting.session_id }
  const claimed = yield* IdempotencyKey.claim(services.idempotency, { request, body, subject })
  if (claimed?.isNew === false) {
    const first = yield* Effect.orDie(decodeSubject(claimed.subject))
    const answer = yield* RunAnswer.ofStored(services.engine, first, filter, form)
    if (Option.isSome(answer)) return answer.value
  }
  if (isApproved(continuing, ruling)) {
    const answer = yield* RunAnswer.ofStored(services.engine, resting, filter, form)
    if (Option.isSome(answer)) return answer.value
  }
  const conflict = AgentContinuing.conflictOf(resting, form.tools !== undefined)
  if (conflict !== undefined) return yield* conflict
  const going = claimed === undefined ? continuing : releasing(continuing, claimed)
  return yield* isAnother
    ? fork(services, going)
    : goOn(services, going, { tools, input: form.input }, ruling)
})
