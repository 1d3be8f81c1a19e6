// Makes an evaluation from a request: checks the fields that each type needs, and fills in the defaults.
import type { Agent } from "@svc-runtime/agents/agent/define/Agent"
import type { ComponentRef, Components } from "@svc-runtime/agents/runService/Components"
import type { Team } from "@svc-runtime/agents/team/Team"
import { isWorkflow } from "@svc-runtime/agents/workflow/Workflow"
import type { Errors } from "@svc-runtime/api"
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import type * as Ids from "@svc-runtime/domain/Ids"
import { NewId } from "@svc-runtime/engine/NewId"
import { now } from "@svc-runtime/engine/now"
import type { ModelCatalog } from "@svc-runtime/models/ModelCatalog"
import { Effect, Schema } from "effect"
import * as EvalRun from "./EvalRun.ts"
import * as EvaluatedComponent from "./EvaluatedComponent.ts"
import * as EvaluationJob from "./EvaluationJob.ts"
import { all } from "./types/all.ts"

export class EvaluationInvalid extends Schema.TaggedError<EvaluationInvalid>()("EvaluationInvalid", {
  message: Schema.String
}) {}

export class EvaluatedNotFound extends Schema.TaggedError<EvaluatedNotFound>()("EvaluatedNotFound", {
  message: Schema.String
}) {}

export interface Parts {
  readonly components: Components
  readonly models: ModelCatalog["Service"]
}

export interface Evaluator {
  readonly user_id: Ids.UserId | null
  readonly isIsolated: boolean
  /** Whether the caller may change the component, and so evaluate its drafts. */
  readonly mayChange: (ref: ComponentRef) => boolean
  /** Fails if the caller may not run the component. */
  readonly permit: (ref: ComponentRef) => Effect.Effect<void, Errors.Forbidden>
}

const invalid = (message: string) => new EvaluationInvalid({ message })

const isGiven = (value: string | null | undefined): value is string =>
  value !== undefined && value !== null && value !== ""

const refOf = Effect.fnUntraced(function*({ agent_id, team_id }: EvalRun.Create) {
  if (isGiven(agent_id) && isGiven(team_id)) return yield* invalid("Only one of agent_id or team_id must be provided")
  if (isGiven(agent_id)) return { kind: "agent", component_id: agent_id } as const
  if (isGiven(team_id)) return { kind: "team", component_id: team_id } as const
  return yield* invalid("One of agent_id or team_id must be provided")
})

const missingIn = ({ criteria, eval_type, expected_output, expected_tool_calls }: EvalRun.Create) => {
  if (eval_type === "accuracy" && !isGiven(expected_output)) {
    return "expected_output is required for accuracy evaluation"
  }
  if (eval_type === "agent_as_judge" && !isGiven(criteria)) return "criteria is required for agent-as-judge evaluation"
  if (eval_type === "reliability" && (expected_tool_calls ?? null) === null) {
    return "expected_tool_calls is required for reliability evaluations"
  }
  return undefined
}

/** Only a complete name overrides the model of the component. Its own model can have a name that is no provider's. */
const overrideOf = Effect.fnUntraced(function*(
  models: ModelCatalog["Service"],
  component: Agent | Team,
  { model_id, model_provider }: EvalRun.Create
) {
  if (!isGiven(model_id) || !isGiven(model_provider)) return null
  const own = models.describe(EvaluatedComponent.modelOf(component, models.defaultModel))
  if (model_id === own.id && model_provider === own.provider) return null
  const model = `${model_provider}:${model_id}`.toLowerCase()
  yield* Effect.mapError(models.resolve(model), ({ message }) => invalid(message))
  return model
})

export const make = Effect.fnUntraced(function*(
  { components, models }: Parts,
  create: EvalRun.Create,
  { isIsolated, mayChange, permit, user_id }: Evaluator
) {
  const ref = yield* refOf(create)
  yield* permit({ kind: ref.kind, id: ref.component_id })
  const notFound = Effect.flatMap(
    EvaluatedComponent.missing(components, ref, create.component_version),
    (message) => Effect.fail(new EvaluatedNotFound({ message }))
  )
  const { component, component_versions } = yield* EvaluatedComponent.find(
    components,
    ref,
    create.component_version ?? undefined
  ).pipe(Effect.catchTags({
    ComponentNotFound: () => notFound,
    ComponentUnusable: ({ message }) => Effect.fail(invalid(message)),
    FactoryContextRequired: ({ message }) => Effect.fail(invalid(message))
  }))
  if (isWorkflow(component)) return yield* notFound
  const isDraft = component_versions?.draft !== undefined
  if (isDraft && !mayChange({ kind: ref.kind, id: ref.component_id })) return yield* notFound
  const missing = missingIn(create)
  if (missing !== undefined) return yield* invalid(missing)
  const { eval_type } = create
  const request: EvalRun.Request = {
    ...ref,
    ...(component_versions === undefined ? {} : { component_versions }),
    user_id,
    is_isolated: isIsolated,
    model: yield* overrideOf(models, component, create),
    input: create.input,
    additional_guidelines: create.additional_guidelines ?? null,
    additional_context: create.additional_context ?? null,
    num_iterations: create.num_iterations ?? 1,
    expected_output: create.expected_output ?? null,
    criteria: create.criteria ?? null,
    scoring_strategy: create.scoring_strategy ?? "binary",
    threshold: create.threshold ?? 7,
    warmup_runs: create.warmup_runs ?? 0,
    expected_tool_calls: create.expected_tool_calls ?? null,
    allow_additional_tool_calls: create.allow_additional_tool_calls ?? false,
    expected_tool_call_arguments: create.expected_tool_call_arguments ?? null
  }
  const isJudged = eval_type === "agent_as_judge"
  const model = models.describe(
    isJudged
      ? EvaluatedComponent.judgeOfRequest(component, request, models)
      : request.model ?? EvaluatedComponent.modelOf(component, models.defaultModel)
  )
  const id = EvalRun.Id.make((yield* NewId)())
  const job = yield* EvaluationJob.of(id, create.background === true ? "background" : "awaited")
  const at = yield* now
  const { agent_id, team_id } = ComponentKind.idsOf(ref.kind, ref.component_id)
  const stored: EvalRun.Stored = {
    id,
    // clients expect evaluations by a judge without their component
    ...(isJudged ? { agent_id: null, team_id: null } : { agent_id, team_id }),
    model_id: model.id,
    model_provider: model.provider,
    workflow_id: null,
    name: isGiven(create.name) ? create.name : null,
    evaluated_component_name: eval_type === "accuracy" ? component.name : null,
    eval_type,
    eval_data: {},
    eval_input: null,
    status: "PENDING",
    runs_done: 0,
    runs_total: all[eval_type].total(request),
    error: null,
    job_id: job.id,
    request,
    created_at: at,
    updated_at: at
  }
  return { stored, job, evaluated: { agent_id, team_id } }
})
