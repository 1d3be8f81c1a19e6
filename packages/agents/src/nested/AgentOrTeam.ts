// Prepares runs of agents and teams: root runs, runs of members and of tools, and executors of steps. A workflow can be
// a tool of them.
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import type * as Run from "@svc-runtime/domain/Run"
import type * as TeamRun from "@svc-runtime/domain/TeamRun"
import { ApprovalStore } from "@svc-runtime/engine/approval/ApprovalStore"
import { retryUntilAvailable } from "@svc-runtime/engine/node/retryUntilAvailable"
import { now } from "@svc-runtime/engine/now"
import type { Runnable, RunResult, Start } from "@svc-runtime/engine/run/Runnable"
import { Effect, Option } from "effect"
import * as ModelOptions from "../agent/define/ModelOptions.ts"
import type { AgentCommand } from "../agent/execute/AgentCommand.ts"
import { dependencies } from "../agent/execute/AgentDependencies.ts"
import type { Dependencies } from "../agent/execute/AgentExecution.ts"
import * as AgentRunner from "../agent/execute/AgentRunner.ts"
import * as InnerRunEvents from "../team/InnerRunEvents.ts"
import * as InnerRuns from "../team/InnerRuns.ts"
import type { TeamCommand } from "../team/TeamCommand.ts"
import * as TeamRunner from "../team/TeamRunner.ts"
import type { WorkflowExecution } from "../workflow/execute/WorkflowExecution.ts"
import type { WorkflowCommand } from "../workflow/WorkflowCommand.ts"
import * as WorkflowRunner from "../workflow/WorkflowRunner.ts"
import * as ComponentTool from "./ComponentTool.ts"
import type { Prepare } from "./InnerCommand.ts"

// The approvals of the runs inside of workflows.

const workflowApprovals = Effect.map(
  ApprovalStore,
  (approvals): Pick<WorkflowExecution, "approvalsOf" | "endApprovals"> => ({
    // a run whose approvals cannot be read stays paused
    approvalsOf: (run: Run.Id) =>
      Effect.orElseSucceed(Effect.flatMap(now, (time) => approvals.listByRun(run, time)), () => []),
    endApprovals: (run: Run.Id) =>
      Effect.orDie(retryUntilAvailable(Effect.flatMap(now, (time) => approvals.closeForRun(run, "CANCELLED", time))))
  })
)

// A run of an agent with tools: the run of the agent, and the runs of its tools inside of it.

interface Parts {
  /** Of the agent. */
  readonly own: Dependencies
  /** Starts the runs of its tools. */
  readonly prepare: Prepare
}

const execute = Effect.fnUntraced(
  function*(command: AgentCommand, { own: dependencies, prepare }: Parts, start: Start) {
    const { agent } = command
    const ended = yield* InnerRuns.around(
      { agent, command, id: agent.id, prepare },
      start,
      ({ agent: bound, durable, own }) => {
        const runnable = AgentRunner.make({ ...command, agent: bound }, { ...dependencies, durable })
        return runnable.run({
          ...start,
          journal: own,
          emit: InnerRunEvents.ofAgent(start, own, ComponentTool.of(agent))
        })
      }
    )
    return Option.map(ended, ({ inner, result }): RunResult<Run.Output> => ({
      ...result,
      output: AnyRun.withInner(result.output, inner)
    }))
  }
)

/** A run of an agent as a Runnable. */
const agentRunner = (command: AgentCommand, parts: Parts): Runnable<Run.Output> => {
  const runnable = AgentRunner.make(command, parts.own)
  return command.agent.tools.size === 0
    ? runnable
    : { ...runnable, run: (start) => execute(command, parts, start) }
}

export const preparer = Effect.gen(function*() {
  const dependenciesOf = yield* dependencies
  const approvals = yield* workflowApprovals
  const agentOrTeam = (command: AgentCommand | TeamCommand): Effect.Effect<Runnable<TeamRun.MemberResponse>> =>
    "team" in command
      ? Effect.map(
        dependenciesOf(ModelOptions.withChosen(command.team.leader, command)),
        (leader) => TeamRunner.make(command, { leader, prepare })
      )
      : Effect.map(
        dependenciesOf(ModelOptions.withChosen(command.agent, command)),
        (own) => agentRunner(command, { own, prepare })
      )
  const prepare = ((command: AgentCommand | TeamCommand | WorkflowCommand) =>
    "workflow" in command
      ? Effect.succeed(WorkflowRunner.make(command, { ...approvals, prepare }))
      : agentOrTeam(command)) as Prepare
  return prepare
})
