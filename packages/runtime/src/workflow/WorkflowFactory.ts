// A workflow that is made anew for each request. Its steps may name what is registered beside the factory: that is looked
// up when the workflow has been made (`WorkflowRegistry.ts`).
import { Workflow as WorkflowSchema } from "@svc/domain"
import type { JsonSchema } from "effect"
import * as Factory from "../factory/Factory.ts"
import type { AnySchema } from "../schema/AnySchema.ts"
import type { AnyWorkflow } from "./Node.ts"
import * as Workflow from "./Workflow.ts"

export type WorkflowFactory = Factory.Factory<AnyWorkflow>

const workflows: Factory.ComponentKind<AnyWorkflow> = {
  kind: "workflow",
  idOf: (id) => WorkflowSchema.Id.make(id),
  is: Workflow.isWorkflow,
  // a workflow without a name is called by its id
  complete: (workflow, id) => ({
    ...workflow,
    id,
    name: workflow.name === workflow.id ? id : workflow.name,
    storeEvents: true
  })
}

export const make = <const S extends AnySchema | JsonSchema.JsonSchema | undefined = undefined>(
  options: Factory.Options<S, AnyWorkflow>
): WorkflowFactory => Factory.make(workflows, options)
