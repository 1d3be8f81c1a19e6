// Agents and their runs.
import { Api } from "@svc/api"
import { AnyRun, Checkpoint, Run, type Session } from "@svc/domain"
import {
  type Agent,
  AgentContinuation,
  AgentDetail,
  AgentProgress,
  AgentRegistry,
  FactoryDetail,
  isFactory
} from "@svc/runtime"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as ContinueForm from "../forms/ContinueForm.ts"
import { runNotFound } from "../WireErrors.ts"
import * as ComponentHandlers from "./ComponentHandlers.ts"
import * as ComponentRuns from "./ComponentRuns.ts"
import * as RunContinue from "./RunContinue.ts"

const snapshotOf = ComponentRuns.snapshotOf<Run.Output, Checkpoint.Snapshot>(Checkpoint.snapshot)

interface RunPath {
  readonly agent_id: Agent.Agent["id"]
  readonly run_id: Run.Id
  readonly session_id: Session.Id
}

const saidOf = Effect.fnUntraced(function*(form: ContinueForm.ContinueForm) {
  const tools = yield* ContinueForm.toolsOf(form)
  const said: RunContinue.Said = {
    isSaid: tools !== undefined,
    runsIn: () => [],
    plan: (run, ruling) => AgentContinuation.plan(run, { tools, input: form.input }, ruling)
  }
  return said
})

export const Agents = HttpApiBuilder.group(
  Api,
  "agents",
  Effect.fnUntraced(function*(handlers) {
    const registry = yield* AgentRegistry
    const component = yield* ComponentHandlers.make({ kind: "agent", registry })
    const { around, database, find, runs } = component

    const details = registry.registered.map((agent) =>
      isFactory(agent) ? FactoryDetail.make(agent, database.id) : AgentDetail.toDetail(agent, around(agent))
    )
    const show = component.show(details)
    const proceed = RunContinue.make(component, saidOf)

    const runOf = Effect.fnUntraced(function*({ agent_id, ...named }: RunPath) {
      const agent = yield* find(agent_id)
      const run = yield* runs.get(agent_id, named)
      if (!AnyRun.isAgent(run)) return yield* runNotFound()
      if (isFactory(agent) || agent.checkpoint === "runs" || !Run.isUnderWay(run.status)) return run
      const messages = yield* AgentProgress.messagesOf(agent, yield* runs.rest(agent_id, named))
      return messages.length === 0 ? run : { ...run, messages }
    })

    return handlers.handleAll({
      list: () => component.visible(details),
      get: ({ params }) => show(params.agent_id),
      listRuns: Effect.fn("Agents.listRuns")(function*({ params, query }) {
        yield* find(params.agent_id)
        const found = yield* runs.list(params.agent_id, query.session_id, query.status)
        return found.filter(AnyRun.isAgent).map(Run.toRecord)
      }),
      getRun: Effect.fn("Agents.getRun")(({ params, query }) => runOf({ ...params, ...query })),
      listCheckpoints: Effect.fn("Agents.listCheckpoints")(({ params, query }) =>
        Effect.map(runOf({ ...params, ...query }), Checkpoint.list)
      ),
      getCheckpoint: Effect.fn("Agents.getCheckpoint")(({ params, query }) =>
        Effect.flatMap(runOf({ ...params, ...query }), (run) => snapshotOf(run, params.message_index))
      ),
      forkSession: ({ params, query }) => component.fork(params.agent_id, params.session_id, query.user_id),
      cancelRun: ({ params, query }) => component.cancel(params.agent_id, params.run_id, query.session_id)
    }).handleRaw("listEvents", ({ params, ...from }) => component.events(params.agent_id, params.run_id, from))
      .handleRaw("resumeRun", ({ params, request }) => component.resume(params.agent_id, params.run_id, request))
      .handleRaw("continueRun", ({ params, request }) => proceed(params.agent_id, params.run_id, request))
      .handleRaw("createRun", ({ params, request }) => component.start(params.agent_id, request))
  })
)
