// From what was asked, or from what is stored of it, to something that can be executed: the one place that knows every
// kind of component.
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
import type { Runnable } from "./Runnable.ts"
import type { Resting } from "./RunStore.ts"

export type RunCommand = AgentCommand.AgentCommand

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
    AgentRegistry | ApprovalStore | FactoryResolver | ModelCatalog
  > = Layer.effect(
    Runners,
    Effect.gen(function*() {
      const models = yield* ModelCatalog
      const agents = yield* AgentRegistry
      const approvals = yield* ApprovalStore
      const resolver = yield* FactoryResolver

      const modelOf = (ref: ModelRef) =>
        Effect.catch(models.resolve(ref), (error) => Effect.succeed(UnusableModel.make(models.describe(ref), error)))

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

      return Runners.of({
        prepare: Effect.fnUntraced(function*(command) {
          const { model, reasoningModel } = command.agent
          return AgentRunner.make(command, {
            model: yield* modelOf(model ?? models.defaultModel),
            reasoning: reasoningModel === undefined ? undefined : yield* modelOf(reasoningModel),
            approvals
          })
        }),
        restore: Effect.fnUntraced(function*(resting, { resolved, ...manner }) {
          if (resting.kind !== "agent") return Option.none()
          const made = resolved === undefined ? yield* Effect.option(again(resting)) : Option.some(resolved)
          return Option.gen(function*() {
            const { component, lifetime } = yield* made
            const command = yield* AgentCommand.decode(component, resting)
            // what was made here is the run's from now on
            if (resolved === undefined) lifetime?.handOver()
            return { ...command, ...manner, lifetime }
          })
        }, Effect.scoped)
      })
    })
  )
}
