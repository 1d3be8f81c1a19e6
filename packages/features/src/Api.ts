// The whole contract.
import { Agents } from "@svc-runtime/api/Agents"
import { Approvals, texts as approvals } from "@svc-runtime/api/Approvals"
import { Databases, texts as databases } from "@svc-runtime/api/Databases"
import type { Texts } from "@svc-runtime/api/documentation/Texts"
import { Runs, texts as runs } from "@svc-runtime/api/Runs"
import { ServiceAccounts, texts as serviceAccounts } from "@svc-runtime/api/ServiceAccounts"
import * as ServiceApi from "@svc-runtime/api/ServiceApi"
import { Sessions, texts as sessions } from "@svc-runtime/api/Sessions"
import { System, texts as system } from "@svc-runtime/api/System"
import { Teams } from "@svc-runtime/api/Teams"
import { Workflows } from "@svc-runtime/api/Workflows"
import type { ComponentKind } from "@svc-runtime/domain/ComponentKind"
import { Audit, texts as audit } from "./audit/AuditApi.ts"
import { BackgroundTasks, texts as backgroundTasks } from "./backgroundTasks/BackgroundTasksApi.ts"
import { Budgets, texts as budgets } from "./budgets/BudgetsApi.ts"
import { Channels, texts as channels } from "./channels/ChannelsApi.ts"
import { Components, texts as components } from "./components/ComponentsApi.ts"
import { Datasets, texts as datasets } from "./evaluation/DatasetsApi.ts"
import { EvalRuns, texts as evalRuns } from "./evaluation/EvalRunsApi.ts"
import { Experiments, texts as experiments } from "./evaluation/ExperimentsApi.ts"
import { Feedback, texts as feedback } from "./feedback/FeedbackApi.ts"
import { Knowledge, texts as knowledge } from "./knowledge/KnowledgeApi.ts"
import { Learnings, texts as learnings } from "./learning/LearningsApi.ts"
import { Media, texts as media } from "./media/MediaApi.ts"
import { Memories, texts as memories } from "./memory/MemoriesApi.ts"
import { texts as userMemories, UserMemories } from "./memory/UserMemoriesApi.ts"
import { Metrics, texts as metrics } from "./metrics/MetricsApi.ts"
import { Prompts, texts as prompts } from "./prompts/PromptsApi.ts"
import { Registry, texts as registry } from "./registry/RegistryApi.ts"
import { Roles, texts as roles } from "./roles/RolesApi.ts"
import { Rollouts, texts as rollouts } from "./rollouts/RolloutsApi.ts"
import { Schedules, texts as schedules } from "./schedules/SchedulesApi.ts"
import { Skills, texts as skills } from "./skills/SkillsApi.ts"
import { texts as traces, Traces } from "./traces/TracesApi.ts"
import { texts as webhooks, Webhooks } from "./webhooks/WebhooksApi.ts"
import { texts as workspace, Workspace } from "./workspace/WorkspaceApi.ts"

/** The groups of every service, whatever its features are. */
export const Base = ServiceApi.empty
  .add(System)
  .add(Databases)
  .add(Agents)
  .add(Teams)
  .add(Workflows)
  .add(Sessions)
  .add(Runs)
  .add(ServiceAccounts)
  .add(Approvals)

/** The groups of every service, and those of features. */
export class Api extends Base
  .add(Memories)
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
  .add(Skills)
  .add(Budgets)
  .add(Audit)
  .add(BackgroundTasks)
  .add(Roles)
  .add(Workspace)
  .add(Rollouts)
  .add(Prompts)
  .add(Channels)
{}

/** The texts of each group in the document of the API. Bundles of clients do not need them, and omit them. */
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
  media,
  skills,
  budgets,
  audit,
  backgroundTasks,
  roles,
  workspace,
  rollouts,
  prompts,
  channels
}
