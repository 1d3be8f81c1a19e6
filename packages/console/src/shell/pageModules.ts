// The modules of the pages. Each is loaded when its page is opened first.
import type { FunctionComponent } from "preact"

type Load = () => Promise<FunctionComponent>

const chat: Load = async () => (await import("../chat/ChatPage.tsx")).ChatPage
const workflows: Load = async () => (await import("../workflows/WorkflowsPage.tsx")).WorkflowsPage

/** The style of the pages beside the chat is loaded with the first of them. */
let style: Promise<void> | undefined

const loadedStyle = (): Promise<void> =>
  new Promise((resolve, reject) => {
    const link = document.createElement("link")
    link.rel = "stylesheet"
    link.href = document.querySelector<HTMLMetaElement>("meta[name=pages-style]")?.content ?? ""
    link.onload = () => resolve()
    link.onerror = () => reject(new Error("The style of the page could not be loaded"))
    document.head.append(link)
  })

const styled = (load: Load): Load => async () => {
  style ??= loadedStyle()
  const [page] = await Promise.all([
    load(),
    style.catch((error: unknown) => {
      style = undefined
      throw error
    })
  ])
  return page
}

const withStyle = (pages: ReadonlyArray<readonly [string, Load]>): ReadonlyMap<string, Load> =>
  new Map([["chat", chat], ...pages.map(([name, load]) => [name, styled(load)] as const)])

/** A page, or a list of entries. */
const lists = withStyle([
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
  ["channels", async () => (await import("../channels/ChannelsPage.tsx")).ChannelsPage],
  ["accounts", async () => (await import("../accounts/AccountsPage.tsx")).AccountsPage],
  ["roles", async () => (await import("../roles/RolesPage.tsx")).RolesPage],
  ["audit", async () => (await import("../audit/AuditPage.tsx")).AuditPage],
  ["system", async () => (await import("../system/SystemPage.tsx")).SystemPage]
])

/** One entry of a list. */
const entries = withStyle([
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
