// The kinds of background jobs that each database of a service executes.
import { isAgent } from "@svc-runtime/agents/agent/define/Agent"
import type * as JobModel from "@svc-runtime/agents/agent/read/JobModel"
import { isRemoteModel } from "@svc-runtime/agents/agent/remote/RemoteModel"
import * as ReachedComponents from "@svc-runtime/agents/registry/ReachedComponents"
import * as RemoteCancels from "@svc-runtime/agents/remote/RemoteCancels"
import * as WakeJob from "@svc-runtime/agents/runService/WakeJob"
import { isTeam } from "@svc-runtime/agents/team/Team"
import * as Executors from "@svc-runtime/agents/workflow/execute/Executors"
import { isWorkflow } from "@svc-runtime/agents/workflow/Workflow"
import * as Ids from "@svc-runtime/domain/Ids"
import * as Retention from "@svc-runtime/engine/run/engine/Retention"
import { ConfigResolver } from "@svc-runtime/features/components/ConfigResolver"
import * as EvaluationJob from "@svc-runtime/features/evaluation/EvaluationJob"
import * as ExperimentJob from "@svc-runtime/features/evaluation/experiments/ExperimentJob"
import * as OnlineScoringJob from "@svc-runtime/features/evaluation/OnlineScoringJob"
import * as OrphanedEvaluations from "@svc-runtime/features/evaluation/OrphanedEvaluations"
import * as ChangedEmbedders from "@svc-runtime/features/knowledge/ChangedEmbedders"
import * as ChunkIndexing from "@svc-runtime/features/knowledge/ChunkIndexing"
import * as ChunkPruning from "@svc-runtime/features/knowledge/ChunkPruning"
import * as FolderJob from "@svc-runtime/features/knowledge/FolderJob"
import * as FolderSync from "@svc-runtime/features/knowledge/FolderSync"
import * as IngestionJob from "@svc-runtime/features/knowledge/IngestionJob"
import { KnowledgeRegistry } from "@svc-runtime/features/knowledge/KnowledgeRegistry"
import * as OrphanedContents from "@svc-runtime/features/knowledge/OrphanedContents"
import * as LearningJob from "@svc-runtime/features/learning/LearningJob"
import * as MemoryExtraction from "@svc-runtime/features/memory/ExtractionJob"
import * as VectorJob from "@svc-runtime/features/memory/VectorJob"
import * as SessionSummary from "@svc-runtime/features/summaries/SummaryJob"
import * as PushJob from "@svc-runtime/features/taskPush/PushJob"
import { Effect } from "effect"
import type { Parts } from "./ApplicationOptions.ts"

export const of = (
  { agents, databaseId, embedAgain, features, jobs, retention, teams, workflows }: Parts,
  id: Ids.DatabaseId
) =>
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
    const again = embedAgain === true ? [yield* ChangedEmbedders.kind(id)] : []
    const evaluations = [
      ...yield* EvaluationJob.kinds(Ids.DatabaseId.make(databaseId)),
      yield* ExperimentJob.kind(Ids.DatabaseId.make(databaseId)),
      yield* OrphanedEvaluations.kind,
      yield* OnlineScoringJob.kind
    ]
    const database = { id, isOwn: id === databaseId }
    const ofFeatures = (yield* Effect.forEach(features, (feature) => feature.jobs(database))).flat()
    const reached = [...ReachedComponents.of([...agents, ...teams, ...workflows]).agents.keys()]
    const remotes = reached.flatMap(({ model }) => isRemoteModel(model) ? [model.remote] : [])
    const remote = yield* RemoteCancels.kind(new Map(remotes.map((each) => [each.id, each])))
    return [
      remote,
      ...ofFeatures,
      yield* PushJob.kind,
      ...evaluations,
      ...pruning,
      ...knowledge,
      ...again,
      ...reading,
      ...yield* VectorJob.kinds,
      yield* WakeJob.kind,
      ...jobs
    ]
  })
