// The registered workflows in order, and workflow factories. Ids in steps are resolved at start, or for a factory after
// each build.
import type * as WorkflowSchema from "@svc-runtime/domain/Workflow"
import { Context, Effect, Layer, Schema } from "effect"
import { AgentRegistry } from "../agent/define/AgentRegistry.ts"
import * as Registrations from "../component/Registrations.ts"
import * as Factory from "../factory/Factory.ts"
import { TeamRegistry } from "../team/TeamRegistry.ts"
import type { AnyWorkflow } from "./define/Node.ts"
import { type Components, type Refusal, resolve } from "./StepReferences.ts"
import type { WorkflowFactory } from "./WorkflowFactory.ts"

export class WorkflowNotFound
  extends Schema.TaggedError<WorkflowNotFound>()("WorkflowNotFound", { workflow_id: Schema.String })
{
  override get message() {
    return `Workflow not found: '${this.workflow_id}'`
  }
}

type Registered = AnyWorkflow | WorkflowFactory

const registrations = (workflows: ReadonlyArray<Registered>) =>
  Registrations.make(
    "workflow",
    workflows,
    (workflow_id: WorkflowSchema.Id) => new WorkflowNotFound({ workflow_id })
  )

const resolveReferences = (workflow: Registered, components: Components): Effect.Effect<Registered, Refusal> =>
  Factory.isFactory(workflow)
    ? Effect.succeed(
      Factory.completed(
        workflow,
        "gave a workflow that names what is not there",
        (made) => resolve(made, components)
      )
    )
    : resolve(workflow, components)

export class WorkflowRegistry
  extends Context.Service<WorkflowRegistry, Registrations.Registrations<AnyWorkflow, WorkflowNotFound>>()(
    "@svc-runtime/agents/workflow/WorkflowRegistry"
  )
{
  static readonly layer = (
    workflows: ReadonlyArray<Registered>
  ): Layer.Layer<
    WorkflowRegistry,
    Registrations.DuplicateIds | Refusal,
    AgentRegistry | TeamRegistry
  > =>
    Layer.effect(
      WorkflowRegistry,
      Effect.gen(function*() {
        const agents = yield* AgentRegistry
        const teams = yield* TeamRegistry
        const given = yield* registrations(workflows)
        const components: Components = {
          agent: (id) => agents.registered.find((agent) => agent.id === id),
          team: (id) => teams.registered.find((team) => team.id === id),
          workflow: (id) => given.registered.find((workflow) => workflow.id === id)
        }
        return yield* registrations(
          yield* Effect.forEach(workflows, (workflow) => resolveReferences(workflow, components))
        )
      })
    )
}
