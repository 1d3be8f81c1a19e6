// Prepares runs of agents and teams: root runs, runs of members and of tools, and executors of steps. A workflow can be
// a tool of them.
import type * as TeamRun from "@svc-runtime/domain/TeamRun"
import type { Runnable } from "@svc-runtime/engine/run/Runnable"
import { Effect } from "effect"
import * as ModelOptions from "../agent/define/ModelOptions.ts"
import type { AgentCommand } from "../agent/execute/AgentCommand.ts"
import { dependencies } from "../agent/execute/AgentDependencies.ts"
import type { TeamCommand } from "../team/TeamCommand.ts"
import * as TeamRunner from "../team/TeamRunner.ts"
import * as WorkflowApprovals from "../workflow/pause/WorkflowApprovals.ts"
import type { WorkflowCommand } from "../workflow/WorkflowCommand.ts"
import * as WorkflowRunner from "../workflow/WorkflowRunner.ts"
import * as ComponentToolRunner from "./ComponentToolRunner.ts"
import type { Prepare } from "./InnerCommand.ts"

export const preparer = Effect.gen(function*() {
  const dependenciesOf = yield* dependencies
  const approvals = yield* WorkflowApprovals.make
  const agentOrTeam = (command: AgentCommand | TeamCommand): Effect.Effect<Runnable<TeamRun.MemberResponse>> =>
    "team" in command
      ? Effect.map(
        dependenciesOf(ModelOptions.withChosen(command.team.leader, command)),
        (leader) => TeamRunner.make(command, { leader, prepare })
      )
      : Effect.map(
        dependenciesOf(ModelOptions.withChosen(command.agent, command)),
        (own) => ComponentToolRunner.make(command, { own, prepare })
      )
  const prepare = ((command: AgentCommand | TeamCommand | WorkflowCommand) =>
    "workflow" in command
      ? Effect.succeed(WorkflowRunner.make(command, { ...approvals, prepare }))
      : agentOrTeam(command)) as Prepare
  return prepare
})
