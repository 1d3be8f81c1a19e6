// A workflow in discovery.
import type * as Json from "@svc-runtime/domain/Json"
import type * as WorkflowSchema from "@svc-runtime/domain/Workflow"
import * as AgentDetail from "../agent/define/AgentDetail.ts"
import { isFactory } from "../factory/Factory.ts"
import * as FactoryDetail from "../factory/FactoryDetail.ts"
import * as TeamDetail from "../team/TeamDetail.ts"
import * as Executor from "./define/Executor.ts"
import type { AnyWorkflow, Node, StepNode } from "./define/Node.ts"
import type { WorkflowFactory } from "./WorkflowFactory.ts"

export interface Dependencies {
  readonly databaseId: string
  readonly around: TeamDetail.Around
}

const summaryOf = (workflow: AnyWorkflow, databaseId: string): WorkflowSchema.Summary => ({
  id: workflow.id,
  name: workflow.name,
  ...(workflow.description === undefined ? {} : { description: workflow.description }),
  db_id: databaseId,
  is_factory: false,
  is_component: false
})

export const toSummary = (workflow: AnyWorkflow | WorkflowFactory, databaseId: string): WorkflowSchema.Summary => {
  if (!isFactory(workflow)) return summaryOf(workflow, databaseId)
  const { input_schema: _, ...summary } = FactoryDetail.make(workflow, databaseId)
  return summary
}

/** An executor's sessions are the workflow's. */
const inside = <Detail extends { readonly db_id?: string; readonly sessions?: unknown }>(
  { db_id: _, sessions: __, ...detail }: Detail
) => detail

const executorOf = (
  { executor }: StepNode,
  { around }: Dependencies
): Pick<WorkflowSchema.Step, "agent" | "team" | "workflow_id"> =>
  Executor.match<Pick<WorkflowSchema.Step, "agent" | "team" | "workflow_id">>(executor, {
    function: () => ({}),
    // the contract has ids of workflows only
    named: (kind, id) => kind === "workflow" ? { workflow_id: id } : {},
    agent: (agent) => ({ agent: inside(AgentDetail.toDetail(agent, around(agent))) }),
    team: (team) => ({ team: inside(TeamDetail.toDetail(team, around)) }),
    workflow: ({ id }) => ({ workflow_id: id })
  })

const toStep = (around: Dependencies) => (node: Node): WorkflowSchema.Step => {
  const inner = (nodes: ReadonlyArray<Node>) => nodes.map(toStep(around))
  const named = {
    name: node.name,
    ...(node.description === undefined ? {} : { description: node.description }),
    type: node.type
  }
  switch (node.type) {
    case "Step":
      return { ...named, ...executorOf(node, around) }
    case "Router":
      return { ...named, steps: inner(node.choices) }
    case "Condition":
      return {
        ...named,
        steps: inner(node.steps),
        ...(node.elseSteps.length === 0 ? {} : { else_steps: inner(node.elseSteps) })
      }
    default:
      return { ...named, steps: inner(node.steps) }
  }
}

export const toDetail = (workflow: AnyWorkflow, around: Dependencies): WorkflowSchema.Detail => ({
  ...summaryOf(workflow, around.databaseId),
  ...(workflow.inputSchema === undefined ? {} : { input_schema: workflow.inputSchema.jsonSchema as Json.Object }),
  steps: workflow.steps.map(toStep(around)),
  ...(workflow.metadata === undefined ? {} : { metadata: workflow.metadata }),
  workflow_agent: false
})

export const ofFactory = (factory: WorkflowFactory, databaseId: string): WorkflowSchema.Detail => ({
  ...FactoryDetail.make(factory, databaseId),
  workflow_agent: false
})
