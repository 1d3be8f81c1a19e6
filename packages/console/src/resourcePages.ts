// The pages of the menu "More".
import type { FunctionComponent } from "preact"
import { AccountsPage } from "./accounts/AccountsPage.tsx"
import { ComponentPage } from "./components/ComponentPage.tsx"
import { ComponentsPage } from "./components/ComponentsPage.tsx"
import { DatasetPage, DatasetsPage } from "./datasets/DatasetsPage.tsx"
import { EvaluationPage, EvaluationsPage } from "./evaluations/EvaluationsPage.tsx"
import { ExperimentPage, ExperimentsPage } from "./experiments/ExperimentsPage.tsx"
import { KnowledgePage } from "./knowledge/KnowledgePage.tsx"
import { LearningsPage } from "./memories/LearningsPage.tsx"
import { MemoriesPage } from "./memories/MemoriesPage.tsx"
import { MetricsPage } from "./metrics/MetricsPage.tsx"
import { SchedulePage, SchedulesPage } from "./schedules/SchedulesPage.tsx"
import { SystemPage } from "./system/SystemPage.tsx"
import { TracePage, TracesPage } from "./traces/TracesPage.tsx"
import { WebhookPage, WebhooksPage } from "./webhooks/WebhooksPage.tsx"

export interface ResourcePage {
  readonly path: string
  readonly title: string
  readonly List: FunctionComponent
  /** Shows one entry of the list. */
  readonly Entry?: FunctionComponent
}

export const resourcePages: ReadonlyArray<ResourcePage> = [
  { path: "components", title: "Components", List: ComponentsPage, Entry: ComponentPage },
  { path: "schedules", title: "Schedules", List: SchedulesPage, Entry: SchedulePage },
  { path: "knowledge", title: "Knowledge", List: KnowledgePage },
  { path: "memories", title: "Memories", List: MemoriesPage },
  { path: "learnings", title: "Learnings", List: LearningsPage },
  { path: "evaluations", title: "Evaluations", List: EvaluationsPage, Entry: EvaluationPage },
  { path: "datasets", title: "Datasets", List: DatasetsPage, Entry: DatasetPage },
  { path: "experiments", title: "Experiments", List: ExperimentsPage, Entry: ExperimentPage },
  { path: "accounts", title: "Service accounts", List: AccountsPage },
  { path: "webhooks", title: "Webhooks", List: WebhooksPage, Entry: WebhookPage },
  { path: "metrics", title: "Metrics", List: MetricsPage },
  { path: "traces", title: "Traces", List: TracesPage, Entry: TracePage },
  { path: "system", title: "System", List: SystemPage }
]

export const resourcePageOf = ([name, id]: ReadonlyArray<string>): FunctionComponent | undefined => {
  const page = resourcePages.find(({ path }) => path === name)
  return id === undefined ? page?.List : page?.Entry
}
