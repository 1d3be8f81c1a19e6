// The whole contract.
import * as Service from "@svc/domain/Service"
import { HttpApi, OpenApi } from "effect/http-api"
import { Agents } from "./Agents.ts"
import { Approvals } from "./Approvals.ts"
import { Components } from "./Components.ts"
import { Databases } from "./Databases.ts"
import { Datasets } from "./Datasets.ts"
import { EvalRuns } from "./EvalRuns.ts"
import { Experiments } from "./Experiments.ts"
import { Feedback } from "./Feedback.ts"
import { Knowledge } from "./Knowledge.ts"
import { Learnings } from "./Learnings.ts"
import { Media } from "./Media.ts"
import { Memories } from "./Memories.ts"
import { Metrics } from "./Metrics.ts"
import { Registry } from "./Registry.ts"
import { Runs } from "./Runs.ts"
import { Schedules } from "./Schedules.ts"
import { ServiceAccounts } from "./ServiceAccounts.ts"
import { Sessions } from "./Sessions.ts"
import { System } from "./System.ts"
import { Teams } from "./Teams.ts"
import { Traces } from "./Traces.ts"
import { UserMemories } from "./UserMemory.ts"
import { Webhooks } from "./Webhooks.ts"
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
