// Builds a workflow for each request. Its steps can name registered components, which are resolved after the build
// (`WorkflowRegistry.ts`).
import * as WorkflowSchema from "@svc-runtime/domain/Workflow"
import type { AnySchema } from "@svc-runtime/engine/schema/AnySchema"
import type { JsonSchema } from "effect"
import * as Factory from "../factory/Factory.ts"
import type { AnyWorkflow } from "./define/Node.ts"
import * as Workflow from "./Workflow.ts"

export type WorkflowFactory = Factory.Factory<AnyWorkflow>

const workflows: Factory.ComponentType<AnyWorkflow> = {
  kind: "workflow",
  idOf: (id) => WorkflowSchema.Id.make(id),
  is: Workflow.isWorkflow,
  // the default name is the id
  complete: (workflow, id) => ({
    ...workflow,
    id,
    name: workflow.name === workflow.id ? id : workflow.name,
    storeEvents: true
  })
}

/**
 * Builds a workflow for each run, and again when the run resumes: the same input should build the same steps. Input,
 * errors and timeout are those of `AgentFactory.make`.
 *
 * ```ts
 * import { Step, Workflow, WorkflowFactory } from "@svc-runtime/server"
 * import { z } from "zod"
 *
 * export const checkup = WorkflowFactory.make({
 *   id: "checkup",
 *   inputSchema: z.object({ machines: z.array(z.string()).min(1) }),
 *   build: ({ id, input }) =>
 *     Workflow.make({
 *       id,
 *       steps: (input?.machines ?? ["all"]).map((machine) =>
 *         Step.make({ name: machine, effects: "read", run: () => `${machine} is checked` })
 *       )
 *     })
 * })
 * ```
 */
export const make = <const S extends AnySchema | JsonSchema.JsonSchema | undefined = undefined>(
  options: Factory.Options<S, AnyWorkflow>
): WorkflowFactory => Factory.make(workflows, options)
