// Going on with a run of an agent or a team: one that waits for people, with what they say; one that has failed, from its
// last finished step; one that has ended, as a new run that begins where it stopped.
import type { Errors } from "@svc/api"
import { AnyRun, type Json, Run } from "@svc/domain"
import {
  type Agent,
  type AgentCommand,
  type AgentContinuation,
  AgentFork,
  AgentRunOptions,
  type ApprovalStore,
  type ContinueRejected,
  type Factory,
  type IdempotencyStore,
  NewId,
  type Resolved,
  type RunEngine,
  type RunFilter,
  type RunSnapshot,
  type StoredRuns,
  Team,
  type TeamCommand
} from "@svc/runtime"
import { Effect, Option, type Scope } from "effect"
import type { HttpServerRequest } from "effect/http"
import * as ContinueForm from "../forms/ContinueForm.ts"
import type { Forms } from "../forms/Forms.ts"
import { sessionBusy, sessionNotFound, storageUnavailable, tooManyRuns } from "../WireErrors.ts"
import * as ContinueClaim from "./ContinueClaim.ts"
import { continueErrors } from "./continueErrors.ts"
import * as Continuing from "./Continuing.ts"
import * as FactoryResolution from "./FactoryResolution.ts"
import * as RunAnswer from "./RunAnswer.ts"

export interface Services {
  readonly engine: RunEngine["Service"]
  readonly idempotency: IdempotencyStore["Service"]
  readonly runs: StoredRuns["Service"]
  readonly approvals: ApprovalStore["Service"]
}

/** What people say of a run, read from the form. */
export interface Said {
  /** Of what it waits for. */
  readonly isSaid: boolean
  /** The runs inside of it of which approvals are kept. */
  readonly runsIn: (run: RunSnapshot) => ReadonlyArray<Run.Id>
  /** The entry with which it goes on. */
  readonly plan: (
    run: RunSnapshot,
    ruling: AgentContinuation.ApprovalContext
  ) => Effect.Effect<Json.Object, ContinueRejected>
}

type Reading = (form: ContinueForm.ContinueForm) => Effect.Effect<Said, Errors.BadRequest | Errors.Invalid>

/** Who speaks in the run. */
type Speaker = Resolved<Agent.Agent | Team.Team>

interface Asked<E, R> {
  readonly component: NonNullable<RunFilter["component"]>
  readonly read: Reading
  /** Made only if there is a run to go on with: it may take a factory. */
  readonly speaker: (run: RunSnapshot, form: ContinueForm.ContinueForm) => Effect.Effect<Speaker, E, R | Scope.Scope>
  readonly run_id: Run.Id
  readonly form: ContinueForm.ContinueForm
  readonly fingerprint: string
  readonly request: HttpServerRequest.HttpServerRequest
}

interface Continuing<E, R> {
  readonly asked: Asked<E, R>
  readonly form: ContinueForm.ContinueForm
  readonly said: Said
  readonly filter: RunFilter
  readonly resting: RunSnapshot
  readonly claim: ContinueClaim.ContinueClaim
}

const toSubject = (
  { asked: { component }, claim: { subject } }: Continuing<unknown, unknown>
): RunAnswer.AnsweredRun => ({
  kind: component.kind,
  ...subject
})

/** The answer of the run that the request resumes or makes; none when it is not there. */
const storedAnswer = <E, R>({ engine }: Services, continuing: Continuing<E, R>) =>
  RunAnswer.ofStored(engine, toSubject(continuing), continuing.filter, continuing.form)

/** An equal request with the same key may have resumed the run a moment ago: both have one outcome. */
const sharedOutcome = Effect.fnUntraced(function*<E, R>(services: Services, continuing: Continuing<E, R>) {
  const { claim, filter, resting } = continuing
  const found = yield* Effect.mapError(
    services.runs.snapshot(resting.session_id, resting.run_id, filter),
    storageUnavailable
  )
  const isShared = Option.exists(found, (run) => ContinueClaim.hasResumed(claim, run))
  const answer = isShared ? yield* storedAnswer(services, continuing) : Option.none()
  return Option.isSome(answer) ? answer.value : yield* Continuing.resumedByAnother(resting)
})

/** The same run goes on. */
const resume = Effect.fnUntraced(function*<E, R>(
  services: Services,
  continuing: Continuing<E, R>,
  ruling: AgentContinuation.ApprovalContext
) {
  const { asked, claim, form, resting, said } = continuing
  const entry = yield* said.plan(resting, ruling)
  const { background, stream } = form
  const handle = yield* Continuing.goOn(services.engine, {
    resting,
    entry,
    resolved: asked.speaker(resting, form),
    background,
    stream,
    claim: claim.claim_id
  })
  return Option.isSome(handle)
    ? yield* RunAnswer.ofHandle(services.engine, handle.value, resting, form)
    : yield* sharedOutcome(services, continuing)
})

const replaceOriginal = <E, R>({ runs }: Services, { form, resting }: Continuing<E, R>) =>
  form.regenerate && form.replaceOriginal
    ? Effect.mapError(runs.supersede(resting), storageUnavailable)
    : Effect.void

/** The run that an equal request with the same key has made; none when there is none yet. */
const forked = Effect.fnUntraced(function*<E, R>(services: Services, continuing: Continuing<E, R>) {
  const answer = yield* storedAnswer(services, continuing)
  // the first request may have stopped before it had done this
  if (Option.isSome(answer)) yield* replaceOriginal(services, continuing)
  return answer
})

/** A new run goes on from what was said in this one. */
const fork = Effect.fnUntraced(function*<E, R>(services: Services, continuing: Continuing<E, R>) {
  const { engine } = services
  const { asked, claim: { subject }, form, resting } = continuing
  const { from, input, regenerate } = form
  const isReplacing = regenerate && form.replaceOriginal
  const entries = yield* AgentFork.plan(resting, { from, input, regenerate, isReplacing })
  const asking: Omit<AgentCommand, "agent"> = {
    ...subject,
    user_id: resting.user_id ?? undefined,
    isolated: false,
    input: AnyRun.isAgentOrTeam(resting.output) ? resting.output.input ?? { input_content: "" } : { input_content: "" },
    stream: form.stream,
    background: form.background,
    session_state: undefined,
    dependencies: form.dependencies,
    metadata: form.metadata,
    ...AgentRunOptions.defaults,
    // it is part of what the run begins with
    addHistoryToContext: false,
    entries
  }
  const commandOf = ({ component, ...made }: Speaker): AgentCommand | TeamCommand =>
    Team.isTeam(component) ? { ...asking, ...made, team: component } : { ...asking, ...made, agent: component }
  const started = Effect.scoped(
    Effect.flatMap(asked.speaker(resting, form), (speaker) =>
      Effect.catchTags(engine.start(commandOf(speaker)), {
        SessionNotFound: (error) => Effect.fail(sessionNotFound(error)),
        SessionBusy: (error) => Effect.fail(sessionBusy(error)),
        TooManyRuns: (error) => Effect.fail(tooManyRuns(error)),
        StorageUnavailable: (error) => Effect.fail(storageUnavailable(error))
      }))
  ).pipe(
    Effect.tap(() => replaceOriginal(services, continuing)),
    Effect.flatMap((handle) => RunAnswer.ofHandle(engine, handle, toSubject(continuing), form))
  )
  // an equal request with the same key was faster
  return yield* Effect.catchTag(started, "RunExists", () =>
    Effect.flatMap(
      forked(services, continuing),
      Option.match({ onNone: () => Effect.fail(Continuing.resumedByAnother(resting)), onSome: Effect.succeed })
    ))
})

const isForking = ({ fork, from, regenerate }: ContinueForm.ContinueForm) => fork || regenerate || from !== "end"

/**
 * Whether there is nothing to say because an approval has said it: whoever asks then wants to see the run that it has set
 * going.
 */
const isApproved = <E, R>(
  { form, resting, said }: Continuing<E, R>,
  { approvals }: AgentContinuation.ApprovalContext
): boolean =>
  !Continuing.canGoOn(resting.status) && !said.isSaid && form.input === undefined && !isForking(form) &&
  approvals.some(({ approval_type, status }) => approval_type === "required" && status !== "pending")

/** What the first request with the key has made; none when it has made nothing, and the retry is executed. */
const repeated = <E, R>(services: Services, continuing: Continuing<E, R>) => {
  const { claim, resting } = continuing
  if (!claim.isRetry) return Effect.succeedNone
  if (claim.subject.run_id !== resting.run_id) return forked(services, continuing)
  return ContinueClaim.hasResumed(claim, resting) ? storedAnswer(services, continuing) : Effect.succeedNone
}

const executed = Effect.fnUntraced(function*<E, R>(
  services: Services,
  continuing: Continuing<E, R>,
  ruling: AgentContinuation.ApprovalContext
) {
  const { claim, filter, form, resting, said } = continuing
  const known = yield* repeated(services, continuing)
  if (Option.isSome(known)) return known.value
  if (isApproved(continuing, ruling)) {
    const answer = yield* RunAnswer.ofStored(services.engine, resting, filter, form)
    if (Option.isSome(answer)) return answer.value
  }
  const conflict = Continuing.conflictOf(resting, said.isSaid)
  if (conflict !== undefined) return yield* conflict
  if (claim.subject.run_id !== resting.run_id) return yield* fork(services, continuing)
  return Continuing.canGoOn(resting.status)
    ? yield* resume(services, continuing, ruling)
    : yield* Continuing.resumedByAnother(resting)
})

const respond = Effect.fnUntraced(function*<E, R>(services: Services, asked: Asked<E, R>) {
  const { component, fingerprint, form, request, run_id } = asked
  // first of all: whoever may not see the run learns nothing of it, not even that it waits for an approval
  const named = { component, run_id, session_id: form.session_id }
  const { filter, resting } = yield* Continuing.restingOf(services.runs, named)
  const outer = yield* Continuing.rulingOf(services.approvals, run_id)
  const said = yield* asked.read(form)
  const inside = said.runsIn(resting)
  const ruling = inside.length === 0
    ? outer
    : yield* Continuing.rulingOf(services.approvals, run_id, ...inside)
  const isNewRun = isForking(form) || !Continuing.canGoOn(resting.status)
  const subject = {
    run_id: isNewRun ? Run.Id.make((yield* NewId)()) : run_id,
    session_id: resting.session_id
  }
  const claim = yield* ContinueClaim.make(services.idempotency, { request, fingerprint, subject })
  const continuing: Continuing<E, R> = { asked, form, said, filter, resting, claim }
  return yield* ContinueClaim.releasedOnRefusal(executed(services, continuing, ruling), claim)
})

/** What goes on: agents or teams. */
export interface Speaking<C extends Agent.Agent | Team.Team> {
  readonly kind: "agent" | "team"
  readonly find: (id: C["id"]) => Effect.Effect<C | Factory<C>, Errors.NotFound>
  readonly resolution: FactoryResolution.Options
  readonly services: Services
  readonly forms: Forms["Service"]
}

export const make = <C extends Agent.Agent | Team.Team>(
  { find, forms, kind, resolution, services }: Speaking<C>,
  read: Reading
) =>
(id: C["id"], run_id: Run.Id, request: HttpServerRequest.HttpServerRequest) =>
  forms.using(
    request,
    ContinueForm.decode,
    Effect.fnUntraced(function*({ fingerprint, form }) {
      const registered = yield* find(id)
      return yield* respond(services, {
        component: { kind, id },
        run_id,
        form,
        fingerprint,
        request,
        read,
        speaker: (run, form) => FactoryResolution.resolveFor(resolution, registered, { run, form, request })
      })
    }, (responded) => Effect.catchTags(responded, continueErrors))
  )
