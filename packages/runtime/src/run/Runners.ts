// From what was asked, or from what is stored of it, to something that can be executed: the one place that knows every
// kind of component.
import { Context, Effect, Layer, Option } from "effect"
import * as AgentCommand from "../agent/AgentCommand.ts"
import { AgentRegistry } from "../agent/AgentRegistry.ts"
import * as AgentRunner from "../agent/AgentRunner.ts"
import { ApprovalStore } from "../approval/ApprovalStore.ts"
import { ModelCatalog, type ModelRef } from "../model/ModelCatalog.ts"
import * as UnusableModel from "../model/UnusableModel.ts"
import type { Runnable } from "./Runnable.ts"
import type { Resting } from "./RunStore.ts"

export type RunCommand = AgentCommand.AgentCommand

/** How a run that goes on is to be executed. */
export type Manner = Pick<RunCommand, "stream" | "background">

export class Runners extends Context.Service<Runners, {
  readonly prepare: (command: RunCommand) => Effect.Effect<Runnable>
  /** None when the component is not there any more, or what is stored of the run cannot be read. */
  readonly restore: (resting: Resting, manner: Manner) => Effect.Effect<Option.Option<RunCommand>>
}>()("@svc/runtime/run/Runners") {
  static readonly layer: Layer.Layer<Runners, never, AgentRegistry | ApprovalStore | ModelCatalog> = Layer.effect(
    Runners,
    Effect.gen(function*() {
      const models = yield* ModelCatalog
      const agents = yield* AgentRegistry
      const approvals = yield* ApprovalStore

      const modelOf = (ref: ModelRef) =>
        Effect.catch(models.resolve(ref), (error) => Effect.succeed(UnusableModel.make(models.describe(ref), error)))

      return Runners.of({
        prepare: Effect.fnUntraced(function*(command) {
          const { model, reasoningModel } = command.agent
          return AgentRunner.make(command, {
            model: yield* modelOf(model ?? models.defaultModel),
            reasoning: reasoningModel === undefined ? undefined : yield* modelOf(reasoningModel),
            approvals
          })
        }),
        restore: Effect.fnUntraced(function*(resting, manner) {
          if (resting.kind !== "agent") return Option.none()
          const agent = yield* Effect.option(agents.get(resting.component_id as never))
          return Option.map(
            Option.flatMap(agent, (agent) => AgentCommand.decode(agent, resting)),
            (command): RunCommand => ({ ...command, ...manner })
          )
        })
      })
    })
  )
}
