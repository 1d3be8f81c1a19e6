// Workflows as a kind of component. Their steps are executed by agents, teams and workflows.
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import type * as WorkflowSchema from "@svc-runtime/domain/Workflow"
import type { RunCommand } from "@svc-runtime/engine/run/RunCommand"
import { Effect } from "effect"
import * as AgentDetail from "../agent/define/AgentDetail.ts"
import type { Services as AgentServices } from "../agent/execute/AgentDependencies.ts"
import type { ComponentModule } from "../component/ComponentModule.ts"
import { isFactory } from "../factory/Factory.ts"
import * as AgentOrTeam from "../nested/AgentOrTeam.ts"
import type { AnyWorkflow } from "../workflow/define/Node.ts"
import * as WorkflowJournal from "../workflow/execute/WorkflowJournal.ts"
import * as ExecutorApprovals from "../workflow/pause/ExecutorApprovals.ts"
import * as WorkflowContinuation from "../workflow/pause/WorkflowContinuation.ts"
import { isWorkflow } from "../workflow/Workflow.ts"
import * as WorkflowCommand from "../workflow/WorkflowCommand.ts"
import * as WorkflowDetail from "../workflow/WorkflowDetail.ts"
import { type WorkflowNotFound, WorkflowRegistry } from "../workflow/WorkflowRegistry.ts"

const preparer = Effect.map(
  AgentOrTeam.preparer,
  (prepare) => (command: WorkflowCommand.WorkflowCommand) => prepare(command)
)

export const WorkflowModule: ComponentModule<
  AnyWorkflow,
  WorkflowCommand.WorkflowCommand,
  WorkflowNotFound,
  WorkflowRegistry,
  WorkflowSchema.Summary,
  WorkflowSchema.Detail,
  AgentServices
> = {
  kind: "workflow",
  registry: WorkflowRegistry,
  isComponent: isWorkflow,
  isCommand: (command: RunCommand): command is WorkflowCommand.WorkflowCommand => "workflow" in command,
  preparer,
  decode: WorkflowCommand.decode,
  checkJournal: WorkflowJournal.decode,
  continuation: WorkflowContinuation.continuation,
  asksFactory: true,
  waitingRuns: (output) =>
    AnyRun.isWorkflow(output) ? (output.step_requirements ?? []).flatMap(ExecutorApprovals.runsOf) : [],
  // its steps have models
  toSummary: (workflow, { databaseOf }) => WorkflowDetail.toSummary(workflow, databaseOf(workflow)),
  toDetail: (workflow, context) => {
    const databaseId = context.databaseOf(workflow).id
    return isFactory(workflow)
      ? WorkflowDetail.ofFactory(workflow, databaseId)
      : WorkflowDetail.toDetail(workflow, { databaseId, around: AgentDetail.dependenciesOf(context) })
  }
}
