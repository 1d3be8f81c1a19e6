// `continue_run`: goes on with a run that waits for somebody, with what they say. A client sends the requirements of the
// paused answer back, each with its resolution; what is not said of a confirmation counts as a refusal.
import { CurrentPrincipal } from "@svc/api"
import { Ids, Json, Run } from "@svc/domain"
import {
  type Agent,
  AgentContinuation,
  type AgentFactory,
  type AnyWorkflow,
  type Component,
  type ContinueRejected,
  type Factory,
  FactoryInput,
  factoryRun,
  type RunFilter,
  type RunSnapshot,
  type Team,
  TeamContinuation,
  type TeamFactory,
  type WorkflowFactory
} from "@svc/runtime"
import { Effect, Option, Predicate, Schema } from "effect"
import type { McpServer } from "effect/ai"
import * as Caller from "../../authorization/Caller.ts"
import { continueErrors } from "../../handlers/continueErrors.ts"
import * as Continuing from "../../handlers/Continuing.ts"
import * as FactoryResolution from "../../handlers/FactoryResolution.ts"
import * as WorkflowRunContinue from "../../handlers/WorkflowRunContinue.ts"
import { interrupted, runNotFound } from "../../WireErrors.ts"
import * as McpTool from "../McpTool.ts"
import * as Progress from "../Progress.ts"
import * as ToolAccess from "../ToolAccess.ts"
import * as RunComponent from "./RunComponent.ts"
import * as RunResult from "./RunResult.ts"
import { currentRequest, type RunServices } from "./RunServices.ts"
import * as RunWaiting from "./RunWaiting.ts"

const maybe = McpTool.optional
const Fields = Schema.Array(Schema.Struct({ name: Schema.String, value: maybe(Schema.Json) }))

/** A requirement as a client sends it back. Which call it is counts, and what was said; the rest is only shown. */
const Resolved = Schema.Struct({
  tool_execution: Schema.Struct({
    tool_call_id: Schema.String,
    tool_args: maybe(Schema.Json),
    confirmed: maybe(Schema.Boolean),
    confirmation_note: maybe(Schema.String),
    result: maybe(Schema.String),
    user_input_schema: maybe(Fields)
  }),
  confirmation: maybe(Schema.Boolean),
  confirmation_note: maybe(Schema.String),
  external_execution_result: maybe(Schema.String),
  user_input_schema: maybe(Fields)
})

const decodeResolved = Schema.decodeUnknownEffect(Schema.Array(Resolved), { errors: "all" })

const saidOf = ({ tool_execution: tool, ...resolution }: typeof Resolved.Type): AgentContinuation.SentTool => ({
  tool_call_id: tool.tool_call_id,
  tool_args: tool.tool_args ?? null,
  confirmed: resolution.confirmation ?? tool.confirmed ?? null,
  confirmation_note: resolution.confirmation_note ?? tool.confirmation_note ?? null,
  result: resolution.external_execution_result ?? tool.result ?? null,
  user_input_schema: resolution.user_input_schema ?? tool.user_input_schema ?? null
})

/** Undefined when nothing was said. */
const saidOfAll = (requirements: ReadonlyArray<Json.Object> | null | undefined) =>
  requirements === null || requirements === undefined
    ? Effect.succeed(undefined)
    : decodeResolved(requirements).pipe(
      Effect.mapError(McpTool.validationText("arguments.requirements")),
      Effect.map((all) => all.map(saidOf))
    )

type Requirements = ReadonlyArray<Json.Object> | null | undefined

interface Asked {
  readonly run_id: Run.Id
  readonly session_id: string | undefined
  /** For a factory: the run stays its user's. */
  readonly user_id: Ids.UserId | undefined
  readonly requirements: Requirements
}

/** A run that goes on already, when it rests. */
const outputOf = Effect.fnUntraced(function*({ engine }: RunServices, resting: RunSnapshot, filter: RunFilter) {
  const output = yield* Effect.mapError(engine.output({ ...resting, filter }), interrupted)
  return Option.isSome(output) ? output.value : yield* runNotFound()
})

/** A run of an agent or a team, unless it went on meanwhile: an approval may have done that. */
const entering = Effect.fnUntraced(function*(
  services: RunServices,
  component: NonNullable<RunFilter["component"]>,
  { requirements, run_id, session_id }: Asked,
  progress: Progress.Progress
) {
  const named = { component, run_id, session_id }
  const { filter, resting } = yield* Continuing.restingOf(services.runs, named)
  const isSaid = requirements !== undefined && requirements !== null
  const conflict = Continuing.conflictOf(resting, isSaid)
  if (conflict !== undefined) return yield* conflict
  yield* progress.report(`Continuing run ${run_id}`)
  const canGoOn = Continuing.canGoOn(resting.status)
  return { resting, output: canGoOn ? undefined : yield* outputOf(services, resting, filter) }
})

interface Going {
  readonly resting: RunSnapshot
  readonly asked: Asked
  /** What it goes on with. */
  readonly entry: Effect.Effect<Json.Object, ContinueRejected>
  readonly audience: RunWaiting.ProgressTarget
}

/** Has a run of an agent or a team go on, and waits for what comes of it. */
const goOn = Effect.fnUntraced(function*<C extends Component>(
  { engine, resolution }: RunServices,
  registered: C | Factory<C>,
  { asked: form, audience, entry, resting }: Going
) {
  const request = yield* currentRequest
  const begin = Effect.flatMap(entry, (entry) =>
    Effect.flatMap(
      Continuing.goOn(engine, {
        resting,
        entry,
        resolved: Effect.interruptible(
          FactoryResolution.resolveFor(resolution, registered, { run: resting, form, request })
        ),
        stream: audience.progress.isWanted,
        background: false
      }),
      Option.match({ onNone: () => Effect.fail(Continuing.resumedByAnother(resting)), onSome: Effect.succeed })
    ))
  return yield* RunWaiting.ended(engine, Effect.map(begin, (handle) => ({ ...resting, ...handle })), audience)
})

const agentRun = Effect.fnUntraced(function*(
  services: RunServices,
  agent: Agent.Agent | AgentFactory.AgentFactory,
  asked: Asked,
  progress: Progress.Progress
) {
  const tools = yield* saidOfAll(asked.requirements)
  const { output, resting } = yield* entering(services, { kind: "agent", id: agent.id }, asked, progress)
  if (output !== undefined) return output
  const ruling = yield* Continuing.rulingOf(services.approvals, asked.run_id)
  const entry = AgentContinuation.plan(resting, { tools, input: undefined }, ruling)
  return yield* goOn(services, agent, { resting, asked, entry, audience: { progress, tell: RunWaiting.ofAgent } })
})

const decodeSent = Schema.decodeUnknownEffect(Schema.Array(TeamContinuation.SentRequirement), { errors: "all" })

const teamRun = Effect.fnUntraced(function*(
  services: RunServices,
  team: Team.Team | TeamFactory.TeamFactory,
  asked: Asked,
  progress: Progress.Progress
) {
  const requirements = Predicate.isNullish(asked.requirements)
    ? undefined
    : yield* Effect.mapError(decodeSent(asked.requirements), McpTool.validationText("arguments.requirements"))
  const { output, resting } = yield* entering(services, { kind: "team", id: team.id }, asked, progress)
  if (output !== undefined) return output
  const inside = TeamContinuation.approvedRuns(resting)
  const ruling = yield* Continuing.rulingOf(services.approvals, asked.run_id, ...inside)
  const entry = TeamContinuation.plan(resting, { requirements, input: undefined }, ruling)
  return yield* goOn(services, team, { resting, asked, entry, audience: { progress, tell: RunWaiting.ofTeam } })
})

const workflowRun = Effect.fnUntraced(function*(
  runServices: RunServices,
  workflow: AnyWorkflow | WorkflowFactory.WorkflowFactory,
  { requirements, run_id, session_id, user_id }: Asked,
  progress: Progress.Progress
) {
  const { engine, idempotency, resolution, runs } = runServices
  const services = { engine, idempotency, runs }
  const component = { kind: "workflow", id: workflow.id } as const
  const { filter, resting } = yield* Continuing.restingOf(runs, { component, run_id, session_id })
  yield* progress.report(`Continuing run ${run_id}`)
  const all = requirements ?? []
  // those of steps that have failed take a decision
  const said = {
    steps: all.filter((each) => !("decision" in each)),
    errors: all.filter((each) => "decision" in each)
  }
  if (WorkflowRunContinue.isApproved(resting, said)) return yield* outputOf(runServices, resting, filter)
  const request = yield* currentRequest
  const principal = yield* CurrentPrincipal
  const caller: FactoryResolution.ResolveRequest = {
    user_id: (yield* Caller.ownerOfNew(user_id)) ?? undefined,
    session_id: principal.session_id ?? session_id,
    request,
    input: FactoryInput.text(undefined),
    run: factoryRun(resting)
  }
  const begin = Effect.scoped(Effect.flatMap(
    Effect.interruptible(FactoryResolution.resolve(resolution, workflow, caller)),
    (resolved) =>
      Effect.flatMap(
        WorkflowRunContinue.goOn(services, resting, { resolved, said, stream: progress.isWanted }),
        Option.match({ onNone: () => Effect.fail(WorkflowRunContinue.resumedByAnother()), onSome: Effect.succeed })
      )
  ))
  return yield* RunWaiting.ended(engine, Effect.map(begin, (handle) => ({ ...resting, ...handle })), {
    progress,
    tell: RunWaiting.ofWorkflow
  })
})

export const make = (services: RunServices, server: McpServer.McpServer["Service"]): McpTool.McpTool =>
  McpTool.make({
    name: "continue_run",
    description:
      "Goes on with a paused run. Send its requirements back, each with its resolution: for agents confirmation " +
      "true or false, external_execution_result, or values in user_input_schema; for workflows what the step asks for. " +
      "Say whose run it is by agent_id, team_id or workflow_id.",
    parameters: Schema.Struct({
      run_id: Run.Id,
      session_id: McpTool.optional(Ids.IdInput),
      ...RunComponent.parameters,
      requirements: McpTool.optional(
        Schema.Array(Json.Input).annotate({ description: "Those of the paused run, each with its resolution." })
      ),
      user_id: McpTool.optional(Ids.UserIdInput)
    }),
    output: RunResult.Output,
    annotations: { title: "Continue a run", readOnlyHint: false, destructiveHint: false },
    isFor: ToolAccess.mayRunSome(["agents", "teams", "workflows"]),
    call: Effect.fnUntraced(function*({ requirements, run_id, session_id, user_id, ...given }) {
      const found = yield* RunComponent.find(services, given)
      const asked = { run_id, session_id: session_id ?? undefined, user_id: user_id ?? undefined, requirements }
      const progress = yield* Progress.make(server)
      switch (found.kind) {
        case "agent":
          return yield* RunResult.make(yield* agentRun(services, found.component, asked, progress))
        case "team":
          return yield* RunResult.make(yield* teamRun(services, found.component, asked, progress))
        case "workflow":
          return yield* RunResult.make(yield* workflowRun(services, found.component, asked, progress))
      }
    }, (continued) => Effect.catchTags(continued, continueErrors))
  })
