// The kinds of background jobs that each database of a service executes.
import { isAgent } from "@svc-runtime/agents/agent/define/Agent"
import type * as JobModel from "@svc-runtime/agents/agent/read/JobModel"
import { isRemoteModel } from "@svc-runtime/agents/agent/remote/RemoteModel"
import * as ReachedComponents from "@svc-runtime/agents/registry/ReachedComponents"
import * as RemoteCancels from "@svc-runtime/agents/remote/RemoteCancels"
import * as CopiedRunsJob from "@svc-runtime/agents/runService/CopiedRunsJob"
import * as WakeJob from "@svc-runtime/agents/runService/WakeJob"
import { isTeam } from "@svc-runtime/agents/team/Team"
import * as Executors from "@svc-runtime/agents/workflow/execute/Executors"
import { isWorkflow } from "@svc-runtime/agents/workflow/Workflow"
import * as Ids from "@svc-runtime/domain/Ids"
import * as Retention from "@svc-runtime/engine/run/engine/Retention"
import * as UsageJob from "@svc-runtime/engine/run/engine/UsageJob"
import * as ResourceNames from "@svc-runtime/features/registry/ResourceNames"
import { Effect } from "effect"
import type { Parts } from "./ApplicationOptions.ts"

export const of = (
  { agents, databaseId, embedAgain, features, guest, jobs, retention, teams, workflows }: Parts,
  id: Ids.DatabaseId
) =>
  Effect.gen(function*() {
    if (guest !== undefined) return []
    const inSteps = workflows.filter(isWorkflow).flatMap(Executors.of)
    const agentsById = new Map([
      ...inSteps.flatMap(({ agent, isLeader }) => isLeader ? [] : [agent]),
      ...agents.filter(isAgent)
    ].map((agent) => [agent.id as string, agent]))
    const leaders = new Map([
      ...inSteps.flatMap(({ agent, isLeader }) => isLeader ? [agent] : []),
      ...teams.filter(isTeam).map(({ leader }) => leader)
    ].map((leader) => [leader.id as string, leader]))
    const { model: modelOf } = yield* ResourceNames.ofService
    const sources: JobModel.Sources = {
      agentOf: ({ agent_id, team_id }) => agent_id === null ? leaders.get(team_id ?? "") : agentsById.get(agent_id),
      modelOf
    }
    const tasks = (yield* Effect.forEach(features, ({ retention }) => retention)).flat()
    const pruning = retention === undefined ? [] : [yield* Retention.kind({ ages: retention, tasks })]
    const database = {
      id,
      isOwn: id === databaseId,
      isGuest: false,
      own: Ids.DatabaseId.make(databaseId),
      sources,
      embedAgain: embedAgain === true
    }
    const ofFeatures = (yield* Effect.forEach(features, (feature) => feature.jobs(database))).flat()
    const reached = [...ReachedComponents.of([...agents, ...teams, ...workflows]).agents.keys()]
    const remotes = reached.flatMap(({ model }) => isRemoteModel(model) ? [model.remote] : [])
    const remote = yield* RemoteCancels.kind(new Map(remotes.map((each) => [each.id, each])))
    return [
      remote,
      ...ofFeatures,
      ...pruning,
      yield* WakeJob.kind,
      yield* CopiedRunsJob.kind,
      yield* UsageJob.kind,
      ...jobs
    ]
  })
