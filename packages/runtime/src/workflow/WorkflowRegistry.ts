// The workflows that a service serves, in the order they were given, with everything that their steps name.
import type { Workflow as WorkflowSchema } from "@svc/domain"
import { Context, Effect, Layer, Schema } from "effect"
import { AgentRegistry } from "../agent/AgentRegistry.ts"
import { DuplicateIds } from "../component/Registrations.ts"
import type { AnyWorkflow } from "./Node.ts"
import { type CircularWorkflows, resolve, type UnknownReference } from "./References.ts"

export class WorkflowNotFound
  extends Schema.TaggedError<WorkflowNotFound>()("WorkflowNotFound", { workflow_id: Schema.String })
{
  override get message() {
    return "Workflow not found"
  }
}

export class WorkflowRegistry extends Context.Service<WorkflowRegistry, {
  readonly all: ReadonlyArray<AnyWorkflow>
  readonly get: (id: WorkflowSchema.Id) => Effect.Effect<AnyWorkflow, WorkflowNotFound>
}>()("@svc/runtime/workflow/WorkflowRegistry") {
  static readonly layer = (
    workflows: ReadonlyArray<AnyWorkflow>
  ): Layer.Layer<WorkflowRegistry, DuplicateIds | UnknownReference | CircularWorkflows, AgentRegistry> =>
    Layer.effect(
      WorkflowRegistry,
      Effect.gen(function*() {
        const agents = yield* AgentRegistry
        const ids = workflows.map(({ id }) => id)
        const twice = ids.filter((id, index) => ids.indexOf(id) !== index)
        if (twice.length > 0) return yield* new DuplicateIds({ kind: "workflows", ids: [...new Set(twice)] })
        const components = {
          agent: (id: string) => agents.all.find((agent) => agent.id === id),
          workflow: (id: string) => workflows.find((workflow) => workflow.id === id)
        }
        const all = yield* Effect.forEach(workflows, (workflow) => resolve(workflow, components))
        const byId = new Map(all.map((workflow) => [workflow.id, workflow]))
        return WorkflowRegistry.of({
          all,
          get: (id) => {
            const workflow = byId.get(id)
            return workflow === undefined
              ? Effect.fail(new WorkflowNotFound({ workflow_id: id }))
              : Effect.succeed(workflow)
          }
        })
      })
    )
}
