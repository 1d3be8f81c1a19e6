// The whole contract.
import type { ComponentKind } from "@svc/domain/ComponentKind"
import * as Service from "@svc/domain/Service"
import { HttpApi, OpenApi } from "effect/http-api"
import { Agents } from "./Agents.ts"
import { Approvals, texts as approvals } from "./Approvals.ts"
import { Components, texts as components } from "./Components.ts"
import { Databases, texts as databases } from "./Databases.ts"
import { Datasets, texts as datasets } from "./Datasets.ts"
import type { Texts } from "./documentation/Texts.ts"
import { EvalRuns, texts as evalRuns } from "./EvalRuns.ts"
import { Experiments, texts as experiments } from "./Experiments.ts"
import { Feedback, texts as feedback } from "./Feedback.ts"
import { Knowledge, texts as knowledge } from "./Knowledge.ts"
import { Learnings, texts as learnings } from "./Learnings.ts"
import { Media, texts as media } from "./Media.ts"
import { Memories, texts as memories } from "./Memories.ts"
import { Metrics, texts as metrics } from "./Metrics.ts"
import { Registry, texts as registry } from "./Registry.ts"
import { Runs, texts as runs } from "./Runs.ts"
import { Schedules, texts as schedules } from "./Schedules.ts"
import { ServiceAccounts, texts as serviceAccounts } from "./ServiceAccounts.ts"
import { Sessions, texts as sessions } from "./Sessions.ts"
import { System, texts as system } from "./System.ts"
import { Teams } from "./Teams.ts"
import { texts as traces, Traces } from "./Traces.ts"
import { texts as userMemories, UserMemories } from "./UserMemories.ts"
import { texts as webhooks, Webhooks } from "./Webhooks.ts"
import { Workflows } from "./Workflows.ts"

export class Api extends HttpApi.make("svc")
  .add(System)
  .add(Databases)
  .add(Agents)
  .add(Teams)
  .add(Workflows)
  .add(Sessions)
  .add(Runs)
  .add(Memories)
  .add(ServiceAccounts)
  .add(Approvals)
  .add(Learnings)
  .add(Knowledge)
  .add(UserMemories)
  .add(Metrics)
  .add(Traces)
  .add(EvalRuns)
  .add(Feedback)
  .add(Components)
  .add(Datasets)
  .add(Registry)
  .add(Experiments)
  .add(Schedules)
  .add(Webhooks)
  .add(Media)
  // report all invalid fields of a request at once
  .annotate(HttpApi.ParseOptions, { errors: "all" })
  .annotateMerge(OpenApi.annotations({
    title: "Svc",
    version: Service.apiVersion,
    description: "A self-hosted runtime service for AI agents, teams and workflows"
  }))
{}

/** What the document of the API says about each group. Only the document reads it, so a bundle of a client omits it. */
export const texts: { readonly [Group in Exclude<keyof typeof Api.groups, `${ComponentKind}s`>]: Texts } = {
  system,
  databases,
  sessions,
  runs,
  memories,
  serviceAccounts,
  approvals,
  learnings,
  knowledge,
  userMemories,
  metrics,
  traces,
  evalRuns,
  feedback,
  components,
  datasets,
  registry,
  experiments,
  schedules,
  webhooks,
  media
}
