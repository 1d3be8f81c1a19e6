// Agents and their runs.
import { Api } from "@svc/api"
import * as AnyRun from "@svc/domain/AnyRun"
import * as Checkpoint from "@svc/domain/Checkpoint"
import * as Run from "@svc/domain/Run"
import type * as Agent from "@svc/runtime/agent/Agent"
import * as AgentDetail from "@svc/runtime/agent/AgentDetail"
import { AgentRegistry } from "@svc/runtime/agent/AgentRegistry"
import { isFactory } from "@svc/runtime/factory/Factory"
import * as FactoryDetail from "@svc/runtime/factory/FactoryDetail"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as JsonAnswer from "../JsonAnswer.ts"
import { runNotFound } from "../WireErrors.ts"
import * as ComponentHandlers from "./ComponentHandlers.ts"
import * as ComponentRuns from "./ComponentRuns.ts"

const snapshotOf = ComponentRuns.snapshotOf<Run.Output, Checkpoint.Snapshot>(Checkpoint.snapshot)

interface RunPath extends ComponentRuns.RunPath {
  readonly agent_id: Agent.Agent["id"]
}

export const Agents = HttpApiBuilder.group(
  Api,
  "agents",
  Effect.fnUntraced(function*(handlers) {
    const registry = yield* AgentRegistry
    const component = yield* ComponentHandlers.make("agent")
    const { around, databaseOf, runs } = component

    const details = registry.registered.map((agent) =>
      isFactory(agent) ? FactoryDetail.make(agent, databaseOf(agent)) : AgentDetail.toDetail(agent, around(agent))
    )
    const show = component.show(details)

    const runOf = Effect.fnUntraced(function*({ agent_id, run_id, session_id }: RunPath) {
      const run = yield* runs.get(agent_id, { run_id, session_id })
      return AnyRun.isAgent(run) ? run : yield* runNotFound()
    })

    return handlers.handleAll({
      list: () => component.visible(details),
      get: ({ params }) => show(params.agent_id),
      listRuns: Effect.fn("Agents.listRuns")(function*({ params, query }) {
        const found = yield* runs.list(params.agent_id, query.session_id, query.status)
        return JsonAnswer.of(found.filter(AnyRun.isAgent).map(Run.toRecord))
      }),
      getRun: Effect.fn("Agents.getRun")(({ params, query }) =>
        Effect.map(runOf({ ...params, ...query }), JsonAnswer.of)
      ),
      listCheckpoints: Effect.fn("Agents.listCheckpoints")(({ params, query }) =>
        Effect.map(runOf({ ...params, ...query }), Checkpoint.list)
      ),
      getCheckpoint: Effect.fn("Agents.getCheckpoint")(({ params, query }) =>
        Effect.flatMap(runOf({ ...params, ...query }), (run) => snapshotOf(run, params.message_index)).pipe(
          Effect.map(JsonAnswer.of)
        )
      ),
      forkSession: ({ params, query }) => runs.fork(params.agent_id, params.session_id, query.user_id),
      cancelRun: ({ params, query }) => runs.cancel(params.agent_id, params.run_id, query.session_id)
    }).handleRaw("listEvents", ({ params, ...from }) => runs.events(params.agent_id, params.run_id, from))
      .handleRaw("resumeRun", ({ params, request }) => runs.resume(params.agent_id, params.run_id, request))
      .handleRaw("continueRun", ({ params, request }) => runs.continue(params.agent_id, params.run_id, request))
      .handleRaw("createRun", ({ params, request }) => runs.start(params.agent_id, request))
  })
)
