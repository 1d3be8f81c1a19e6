// From what was asked, or from what is stored of it, to something that can be executed: the one place that knows every
// kind of component.
import type { Run, TeamRun } from "@svc/domain"
import { Cause, Context, Effect, Layer, Option } from "effect"
import type { Agent } from "../agent/Agent.ts"
import * as AgentCommand from "../agent/AgentCommand.ts"
import { AgentRegistry } from "../agent/AgentRegistry.ts"
import * as AgentRunner from "../agent/AgentRunner.ts"
import { ApprovalStore } from "../approval/ApprovalStore.ts"
import { untrusted } from "../factory/FactoryContext.ts"
import { FactoryResolver, type Resolved } from "../factory/FactoryResolver.ts"
import { ModelCatalog, type ModelRef } from "../model/ModelCatalog.ts"
import * as UnusableModel from "../model/UnusableModel.ts"
import { now } from "../now.ts"
import * as TeamCommand from "../team/TeamCommand.ts"
import { TeamRegistry } from "../team/TeamRegistry.ts"
import * as TeamRunner from "../team/TeamRunner.ts"
import * as WorkflowCommand from "../workflow/WorkflowCommand.ts"
import { WorkflowRegistry } from "../workflow/WorkflowRegistry.ts"
import * as WorkflowRunner from "../workflow/WorkflowRunner.ts"
import type { Runnable } from "./Runnable.ts"
import type { Resting } from "./RunStore.ts"

/** What a model answers. */
type Spoken = AgentCommand.AgentCommand | TeamCommand.TeamCommand

export type RunCommand = Spoken | WorkflowCommand.WorkflowCommand

/** How a run that goes on is to be executed. */
export interface Manner extends Pick<RunCommand, "stream" | "background"> {
  /** For the caller who goes on with it. Left out: for nobody but the run, as after a restart. */
  readonly resolved?: Resolved<Agent> | undefined
}

export class Runners extends Context.Service<Runners, {
  readonly prepare: (command: RunCommand) => Effect.Effect<Runnable>
  /** None when the component is not there any more, or what is stored of the run cannot be read. */
  readonly restore: (resting: Resting, manner: Manner) => Effect.Effect<Option.Option<RunCommand>>
}>()("@svc/runtime/run/Runners") {
  static readonly layer: Layer.Layer<
    Runners,
    never,
    AgentRegistry | ApprovalStore | FactoryResolver | ModelCatalog | TeamRegistry | WorkflowRegistry
  > = Layer.effect(
    Runners,
    Effect.gen(function*() {
      const models = yield* ModelCatalog
      const agents = yield* AgentRegistry
      const teams = yield* TeamRegistry
      const approvals = yield* ApprovalStore
      const resolver = yield* FactoryResolver
      const workflows = yield* WorkflowRegistry

      const modelOf = (ref: ModelRef) =>
        Effect.catch(models.resolve(ref), (error) => Effect.succeed(UnusableModel.make(models.describe(ref), error)))

      const surroundingsOf = Effect.fnUntraced(function*({ model, reasoningModel }: Agent) {
        const surroundings: AgentRunner.Surroundings = {
          model: yield* modelOf(model ?? models.defaultModel),
          reasoning: reasoningModel === undefined ? undefined : yield* modelOf(reasoningModel),
          approvals
        }
        return surroundings
      })

      // of those that cannot be looked up nothing is known, and the run waits on
      const approvalsOf = (run: Run.Id) =>
        Effect.orElseSucceed(Effect.flatMap(now, (time) => approvals.of(run, time)), () => [])

      const prepareAgent = (command: AgentCommand.AgentCommand) =>
        Effect.map(surroundingsOf(command.agent), (surroundings) => AgentRunner.make(command, surroundings))

      const prepareSpoken = (command: Spoken): Effect.Effect<Runnable<TeamRun.MemberResponse>> =>
        "team" in command
          ? Effect.map(
            surroundingsOf(command.team.leader),
            (leader) => TeamRunner.make(command, { leader, prepare: prepareSpoken })
          )
          : prepareAgent(command)

      const again = Effect.fnUntraced(
        function*({ component_id, session_id, user_id }: Resting) {
          const registered = yield* agents.find(component_id as never)
          const caller = { userId: user_id, sessionId: session_id, trusted: untrusted, request: null }
          return yield* resolver.resolveAgain(registered, caller)
        },
        (made, { run_id }) =>
          Effect.tapError(
            made,
            (error) =>
              Effect.annotateLogs(Effect.logError("A run cannot go on without its agent", Cause.fail(error)), {
                run_id
              })
          )
      )

      const restoreAgent = Effect.fnUntraced(function*(resting: Resting, { resolved, ...manner }: Manner) {
        const made = resolved === undefined ? yield* Effect.option(again(resting)) : Option.some(resolved)
        return Option.gen(function*() {
          const { component, lifetime } = yield* made
          const command: RunCommand = { ...yield* AgentCommand.decode(component, resting), ...manner, lifetime }
          // what was made here is the run's from now on
          if (resolved === undefined) lifetime?.handOver()
          return command
        })
      }, Effect.scoped)

      const restoreTeam = Effect.fnUntraced(function*(resting: Resting, { background, stream }: Manner) {
        const team = yield* Effect.option(teams.get(resting.component_id as never))
        return Option.map(
          Option.flatMap(team, (team) => TeamCommand.decode(team, resting)),
          (command): RunCommand => ({ ...command, background, stream })
        )
      })

      const restoreWorkflow = Effect.fnUntraced(function*(resting: Resting, { background, stream }: Manner) {
        const workflow = yield* Effect.option(workflows.get(resting.component_id as never))
        return Option.map(
          Option.flatMap(workflow, (workflow) => WorkflowCommand.decode(workflow, resting)),
          (command): RunCommand => ({ ...command, background, stream })
        )
      })

      return Runners.of({
        prepare: (command) =>
          "workflow" in command
            ? Effect.succeed(WorkflowRunner.make(command, { prepareAgent, approvalsOf }))
            : prepareSpoken(command),
        restore: (resting, manner) => {
          switch (resting.kind) {
            case "agent":
              return restoreAgent(resting, manner)
            case "team":
              return restoreTeam(resting, manner)
            case "workflow":
              return restoreWorkflow(resting, manner)
          }
        }
      })
    })
  )
}
