// The modules of the pages. Each is loaded when its page is opened first.
import type { FunctionComponent } from "preact"

type Load = () => Promise<FunctionComponent>

const chat: Load = async () => (await import("../chat/ChatPage.tsx")).ChatPage
const workflows: Load = async () => (await import("../workflows/WorkflowsPage.tsx")).WorkflowsPage

/** A page, or a list of entries. */
const lists: ReadonlyMap<string, Load> = new Map<string, Load>([
  ["chat", chat],
  ["approvals", async () => (await import("../approvals/ApprovalsPage.tsx")).ApprovalsPage],
  ["workflows", workflows],
  ["runs", async () => (await import("../runs/RunsPage.tsx")).RunsPage],
  ["traces", async () => (await import("../traces/TracesPage.tsx")).TracesPage],
  ["metrics", async () => (await import("../metrics/MetricsPage.tsx")).MetricsPage],
  ["playground", async () => (await import("../playground/PlaygroundsPage.tsx")).PlaygroundsPage],
  ["components", async () => (await import("../components/ComponentsPage.tsx")).ComponentsPage],
  ["datasets", async () => (await import("../datasets/DatasetsPage.tsx")).DatasetsPage],
  ["experiments", async () => (await import("../experiments/ExperimentsPage.tsx")).ExperimentsPage],
  ["evaluations", async () => (await import("../evaluations/EvaluationsPage.tsx")).EvaluationsPage],
  ["knowledge", async () => (await import("../knowledge/KnowledgePage.tsx")).KnowledgePage],
  ["memories", async () => (await import("../memories/MemoriesPage.tsx")).MemoriesPage],
  ["learnings", async () => (await import("../memories/LearningsPage.tsx")).LearningsPage],
  ["schedules", async () => (await import("../schedules/SchedulesPage.tsx")).SchedulesPage],
  ["webhooks", async () => (await import("../webhooks/WebhooksPage.tsx")).WebhooksPage],
  ["accounts", async () => (await import("../accounts/AccountsPage.tsx")).AccountsPage],
  ["system", async () => (await import("../system/SystemPage.tsx")).SystemPage]
])

/** One entry of a list. */
const entries: ReadonlyMap<string, Load> = new Map<string, Load>([
  ["chat", chat],
  ["workflows", workflows],
  ["runs", async () => (await import("../runs/RunPage.tsx")).RunPage],
  ["traces", async () => (await import("../traces/TracesPage.tsx")).TracePage],
  ["playground", async () => (await import("../playground/PlaygroundPage.tsx")).PlaygroundPage],
  ["components", async () => (await import("../components/ComponentPage.tsx")).ComponentPage],
  ["datasets", async () => (await import("../datasets/DatasetsPage.tsx")).DatasetPage],
  ["experiments", async () => (await import("../experiments/ExperimentsPage.tsx")).ExperimentPage],
  ["evaluations", async () => (await import("../evaluations/EvaluationsPage.tsx")).EvaluationPage],
  ["schedules", async () => (await import("../schedules/SchedulesPage.tsx")).SchedulePage],
  ["webhooks", async () => (await import("../webhooks/WebhooksPage.tsx")).WebhookPage]
])

/** Undefined: there is no such page. */
export const moduleOf = ([name = "chat", id]: ReadonlyArray<string>): Load | undefined =>
  (id === undefined ? lists : entries).get(name)
