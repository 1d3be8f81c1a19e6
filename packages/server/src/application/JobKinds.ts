// The kinds of background jobs that each database of a service executes.
import * as Ids from "@svc/domain/Ids"
import { isAgent } from "@svc/runtime/agent/Agent"
import type * as JobModel from "@svc/runtime/agent/JobModel"
import * as LearningJob from "@svc/runtime/agent/learning/LearningJob"
import * as MemoryExtraction from "@svc/runtime/agent/memory/ExtractionJob"
import { isRemoteModel } from "@svc/runtime/agent/remote/RemoteModel"
import * as SessionSummary from "@svc/runtime/agent/sessions/SummaryJob"
import * as EvaluationJob from "@svc/runtime/evaluation/EvaluationJob"
import * as ExperimentJob from "@svc/runtime/evaluation/experiments/ExperimentJob"
import * as OnlineScoringJob from "@svc/runtime/evaluation/OnlineScoringJob"
import * as OrphanedEvaluations from "@svc/runtime/evaluation/OrphanedEvaluations"
import * as ChangedEmbedders from "@svc/runtime/knowledge/ChangedEmbedders"
import * as ChunkIndexing from "@svc/runtime/knowledge/ChunkIndexing"
import * as ChunkPruning from "@svc/runtime/knowledge/ChunkPruning"
import * as FolderJob from "@svc/runtime/knowledge/FolderJob"
import * as FolderSync from "@svc/runtime/knowledge/FolderSync"
import * as IngestionJob from "@svc/runtime/knowledge/IngestionJob"
import { KnowledgeRegistry } from "@svc/runtime/knowledge/KnowledgeRegistry"
import * as OrphanedContents from "@svc/runtime/knowledge/OrphanedContents"
import * as VectorJob from "@svc/runtime/memory/VectorJob"
import * as MetricsRefresh from "@svc/runtime/metrics/MetricsRefresh"
import * as UsageJob from "@svc/runtime/metrics/UsageJob"
import * as ReachedComponents from "@svc/runtime/registry/ReachedComponents"
import * as RemoteCancels from "@svc/runtime/remote/RemoteCancels"
import * as Retention from "@svc/runtime/run/engine/Retention"
import * as WakeJob from "@svc/runtime/runService/WakeJob"
import * as ScheduleJob from "@svc/runtime/schedule/ScheduleJob"
import { ConfigResolver } from "@svc/runtime/storedComponents/ConfigResolver"
import { isTeam } from "@svc/runtime/team/Team"
import * as AttemptJob from "@svc/runtime/webhook/AttemptJob"
import * as EventJob from "@svc/runtime/webhook/EventJob"
import * as UpkeepJob from "@svc/runtime/webhook/UpkeepJob"
import * as Executors from "@svc/runtime/workflow/execute/Executors"
import { isWorkflow } from "@svc/runtime/workflow/Workflow"
import { Effect } from "effect"
import * as PushJob from "../a2a/PushJob.ts"
import type { Parts } from "./ApplicationOptions.ts"

export const of = ({ agents, databaseId, embedAgain, jobs, retention, teams, workflows }: Parts, id: Ids.DatabaseId) =>
  Effect.gen(function*() {
    const inSteps = workflows.filter(isWorkflow).flatMap(Executors.of)
    const agentsById = new Map([
      ...inSteps.flatMap(({ agent, isLeader }) => isLeader ? [] : [agent]),
      ...agents.filter(isAgent)
    ].map((agent) => [agent.id as string, agent]))
    const leaders = new Map([
      ...inSteps.flatMap(({ agent, isLeader }) => isLeader ? [agent] : []),
      ...teams.filter(isTeam).map(({ leader }) => leader)
    ].map((leader) => [leader.id as string, leader]))
    const { model: modelOf } = yield* ConfigResolver
    const sources: JobModel.Sources = {
      agentOf: ({ agent_id, team_id }) => agent_id === null ? leaders.get(team_id ?? "") : agentsById.get(agent_id),
      modelOf
    }
    const reading = [
      yield* MemoryExtraction.kind(sources),
      yield* LearningJob.kind(sources),
      yield* SessionSummary.kind(sources)
    ]
    const pruning = retention === undefined ? [] : [yield* Retention.kind({ periods: retention })]
    const own = (yield* KnowledgeRegistry).all.flatMap(({ knowledge: { vectorStore } }) => vectorStore ?? [])
    const knowledge = [
      ...yield* IngestionJob.kinds,
      yield* FolderJob.kind,
      yield* FolderSync.kind,
      yield* OrphanedContents.kind,
      yield* ChunkPruning.kind(own),
      yield* ChunkIndexing.kind(own)
    ]
    const metrics = [yield* MetricsRefresh.kind, yield* UsageJob.kind]
    const again = embedAgain === true ? [yield* ChangedEmbedders.kind(id)] : []
    const evaluations = [
      ...yield* EvaluationJob.kinds(Ids.DatabaseId.make(databaseId)),
      yield* ExperimentJob.kind(Ids.DatabaseId.make(databaseId)),
      yield* OrphanedEvaluations.kind,
      yield* OnlineScoringJob.kind
    ]
    const schedules = id === databaseId ? yield* ScheduleJob.kinds : []
    const webhooks = [
      yield* EventJob.kind,
      yield* AttemptJob.kind,
      yield* UpkeepJob.kind(id === databaseId),
      yield* PushJob.kind
    ]
    const reached = [...ReachedComponents.of([...agents, ...teams, ...workflows]).agents.keys()]
    const remotes = reached.flatMap(({ model }) => isRemoteModel(model) ? [model.remote] : [])
    const remote = yield* RemoteCancels.kind(new Map(remotes.map((each) => [each.id, each])))
    return [
      remote,
      ...webhooks,
      ...evaluations,
      ...schedules,
      ...pruning,
      ...metrics,
      ...knowledge,
      ...again,
      ...reading,
      ...yield* VectorJob.kinds,
      yield* WakeJob.kind,
      ...jobs
    ]
  })
