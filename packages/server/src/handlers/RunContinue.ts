// Going on with a run of an agent or a team: one that waits for people, with what they say; one that has failed, from its
// last finished step; one that has ended, as a new run that begins where it stopped.
import { Errors } from "@svc/api"
import { AnyRun, type Json, Run, Session } from "@svc/domain"
import {
  type Agent,
  type AgentCommand,
  type AgentContinuation,
  AgentFork,
  type ApprovalStore,
  type Factory,
  type IdempotencyStore,
  NewId,
  type Resolved,
  type Resting,
  type RunEngine,
  type RunFilter,
  type RunStore,
  Team,
  type TeamCommand
} from "@svc/runtime"
import { Effect, Option, Schema, type Scope } from "effect"
import type { HttpServerRequest } from "effect/http"
import * as IdempotencyKey from "../idempotency/IdempotencyKey.ts"
import * as ContinueForm from "../multipart/ContinueForm.ts"
import * as FormBody from "../multipart/FormBody.ts"
import type { Limits } from "../Settings.ts"
import * as Continuing from "./Continuing.ts"
import * as Resolution from "./Resolution.ts"
import * as RunAnswer from "./RunAnswer.ts"
import { sessionBusy, sessionNotFound, storageUnavailable } from "./translate.ts"

export interface Services {
  readonly engine: RunEngine["Service"]
  readonly idempotency: IdempotencyStore["Service"]
  readonly runs: RunStore["Service"]
  readonly approvals: ApprovalStore["Service"]
}

/** What people say of a run, read from the form. */
export interface Said {
  /** Of what it waits for. */
  readonly isSaid: boolean
  /** The runs inside of it of which approvals are kept. */
  readonly runsIn: (run: Resting) => ReadonlyArray<Run.Id>
  /** The entry with which it goes on. */
  readonly plan: (
    run: Resting,
    ruling: AgentContinuation.Ruling
  ) => Effect.Effect<Json.Object, Errors.BadRequest | Errors.Conflict>
}

type Reading = (form: ContinueForm.ContinueForm) => Effect.Effect<Said, Errors.BadRequest>

/** Who speaks in the run. */
type Speaker = Resolved<Agent.Agent | Team.Team>

interface Asked<E, R> {
  readonly component: NonNullable<RunFilter["component"]>
  readonly read: Reading
  /** Made only if there is a run to go on with: it may take a factory. */
  readonly speaker: (run: Resting) => Effect.Effect<Speaker, E, R | Scope.Scope>
  readonly run_id: Run.Id
  readonly body: FormBody.FormBody
  readonly request: HttpServerRequest.HttpServerRequest
}

/** What a key is kept for. */
const decodeSubject = Schema.decodeUnknownEffect(Schema.Struct({ run_id: Run.Id, session_id: Session.Id }))

interface Continuing<E, R> {
  readonly asked: Asked<E, R>
  readonly form: ContinueForm.ContinueForm
  readonly said: Said
  readonly filter: RunFilter
  readonly resting: Resting
  /** Of the new run, should there be one. */
  readonly new_run_id: Run.Id
}

/** The same run goes on. */
const goOn = Effect.fnUntraced(function*<E, R>(
  { engine }: Services,
  { asked, form, resting, said }: Continuing<E, R>,
  ruling: AgentContinuation.Ruling
) {
  const entry = yield* said.plan(resting, ruling)
  const { background, stream } = form
  const handle = yield* Continuing.goOn(engine, {
    resting,
    entry,
    resolved: asked.speaker(resting),
    background,
    stream
  })
  return yield* RunAnswer.ofHandle(engine, handle, resting, form)
})

/** A new run goes on from what was said in this one. */
const fork = Effect.fnUntraced(function*<E, R>({ engine, runs }: Services, continuing: Continuing<E, R>) {
  const { asked, form, new_run_id, resting } = continuing
  const { from, input, regenerate } = form
  const entries = yield* Effect.mapError(AgentFork.plan(resting, { from, input, regenerate }), Continuing.refused)
  const asking: Omit<AgentCommand, "agent"> = {
    run_id: new_run_id,
    session_id: resting.session_id,
    user_id: resting.user_id ?? undefined,
    isolated: false,
    input: AnyRun.isSpoken(resting.output) ? resting.output.input ?? { input_content: "" } : { input_content: "" },
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
  }
  const commandOf = ({ component, ...made }: Speaker): AgentCommand | TeamCommand =>
    Team.isTeam(component) ? { ...asking, ...made, team: component } : { ...asking, ...made, agent: component }
  const handle = yield* Effect.scoped(
    Effect.flatMap(asked.speaker(resting), (speaker) =>
      Effect.catchTags(engine.start(commandOf(speaker)), {
        SessionNotFound: (error) => Effect.fail(sessionNotFound(error)),
        SessionBusy: (error) => Effect.fail(sessionBusy(error)),
        RunExists: (error) => Effect.fail(Errors.conflict(error.message)),
        StorageUnavailable: (error) => Effect.fail(storageUnavailable(error))
      }))
  )
  if (regenerate && form.replaceOriginal) {
    yield* Effect.mapError(runs.supersede(resting.run_id), storageUnavailable)
  }
  return yield* RunAnswer.ofHandle(engine, handle, { ...resting, run_id: new_run_id }, form)
})

/**
 * Whether there is nothing to say because an approval has said it: whoever asks then wants to see the run that it has set
 * going.
 */
const isApproved = <E, R>(
  { form, resting, said }: Continuing<E, R>,
  { approvals }: AgentContinuation.Ruling
): boolean =>
  !Continuing.canGoOn(resting.status) && !said.isSaid && form.input === undefined && form.from === "end" &&
  !form.fork && !form.regenerate &&
  approvals.some(({ approval_type, status }) => approval_type === "required" && status !== "pending")

/** A key of a request that the factory has refused is free for another one. */
const releasing = <E, R>(continuing: Continuing<E, R>, { release }: IdempotencyKey.Claimed): Continuing<E, R> => {
  const { asked } = continuing
  const speaker = (run: Resting) => Effect.onError(asked.speaker(run), () => Effect.ignore(release, { log: true }))
  return { ...continuing, asked: { ...asked, speaker } }
}

const respond = Effect.fnUntraced(function*<E, R>(services: Services, asked: Asked<E, R>) {
  const { body, component, request, run_id } = asked
  const outer = yield* Continuing.rulingOf(services.approvals, run_id)
  const form = yield* ContinueForm.decode(body)
  const said = yield* asked.read(form)
  const named = { component, run_id, session_id: form.session_id }
  const { filter, resting } = yield* Continuing.restingOf(services.runs, named)
  const inside = said.runsIn(resting)
  const ruling = inside.length === 0
    ? outer
    : yield* Continuing.rulingOf(services.approvals, run_id, ...inside)
  const isAnother = form.fork || form.regenerate || form.from !== "end" || !Continuing.canGoOn(resting.status)
  const new_run_id = Run.Id.make((yield* NewId)())
  const continuing: Continuing<E, R> = { asked, form, said, filter, resting, new_run_id }
  const subject = { run_id: isAnother ? new_run_id : run_id, session_id: resting.session_id }
  const claimed = yield* IdempotencyKey.claim(services.idempotency, { request, body, subject })
  if (claimed?.isNew === false) {
    const first = yield* Effect.orDie(decodeSubject(claimed.subject))
    const answer = yield* RunAnswer.ofStored(services.engine, { ...component, ...first }, filter, form)
    if (Option.isSome(answer)) return answer.value
  }
  if (isApproved(continuing, ruling)) {
    const answer = yield* RunAnswer.ofStored(services.engine, resting, filter, form)
    if (Option.isSome(answer)) return answer.value
  }
  const conflict = Continuing.conflictOf(resting, said.isSaid)
  if (conflict !== undefined) return yield* conflict
  const going = claimed === undefined ? continuing : releasing(continuing, claimed)
  return yield* isAnother
    ? fork(services, going)
    : goOn(services, going, ruling)
})

/** What goes on: agents or teams. */
export interface Speaking<C extends Agent.Agent | Team.Team> {
  readonly kind: "agent" | "team"
  readonly find: (id: C["id"]) => Effect.Effect<C | Factory<C>, Errors.NotFound>
  readonly resolution: Resolution.Options
  readonly services: Services
  readonly limits: Pick<Limits, "formBody">
}

export const make = <C extends Agent.Agent | Team.Team>(
  { find, kind, limits, resolution, services }: Speaking<C>,
  read: Reading
) =>
  Effect.fnUntraced(function*(id: C["id"], run_id: Run.Id, request: HttpServerRequest.HttpServerRequest) {
    const body = yield* FormBody.read(request, limits.formBody)
    const registered = yield* find(id)
    return yield* respond(services, {
      component: { kind, id },
      run_id,
      body,
      request,
      read,
      speaker: (run) => Resolution.resolveFor(resolution, registered, run, request)
    })
  })
