// The runs of all components, the newest first. The list is read again while it is open.
import type { RunItem } from "@svc-runtime/client"
import { Status } from "../parts/Status.tsx"
import { duration, instantOf, Time } from "../parts/Time.tsx"
import { money } from "../parts/units.ts"
import { ResourceList } from "../resources/ResourceList.tsx"
import { SavedViews } from "../resources/SavedViews.tsx"
import type { Column } from "../resources/Table.tsx"
import { href } from "../Route.ts"
import { kinds } from "../service/components.ts"
import { svc } from "../service/Service.ts"
import { hasEnded } from "./RunStatus.ts"

const hour = 3600

/** Seconds before now. */
const spans = new Map([["hour", hour], ["24 hours", 24 * hour], ["7 days", 7 * 24 * hour], ["30 days", 30 * 24 * hour]])

/** The time of the address is relative, so that a saved view stays true. */
const within = ({ since = "", ...query }: Readonly<Record<string, string>>) => {
  const span = spans.get(since)
  return span === undefined ? query : { ...query, created_after: Math.floor(Date.now() / 1000) - span }
}

const filters = [
  { name: "since", title: "In the last", choices: [...spans.keys()] },
  { name: "status", title: "State", choices: ["PENDING", "RUNNING", "PAUSED", "COMPLETED", "CANCELLED", "ERROR"] },
  { name: "type", title: "Kind", choices: kinds },
  { name: "component_id", title: "Component", components: kinds },
  { name: "session_id", title: "Session" },
  { name: "user_id", title: "User" }
]

export const componentOf = (
  { agent_id, team_id, workflow_id }: Pick<RunItem, "agent_id" | "team_id" | "workflow_id">
) => agent_id ?? team_id ?? workflow_id ?? ""

const lengthOf = ({ created_at, status, total_metrics, updated_at }: RunItem): string => {
  if (!hasEnded(status)) return ""
  if (total_metrics?.duration !== undefined) return duration(total_metrics.duration * 1000)
  const millis = instantOf(updated_at).getTime() - instantOf(created_at).getTime()
  // these times have seconds
  return millis === 0 ? "< 1 s" : duration(millis)
}

const columns: ReadonlyArray<Column<RunItem>> = [
  { title: "State", cell: ({ status }) => <Status value={status} /> },
  {
    title: "Component",
    cell: (run) => <a href={href(["runs", run.run_id], { session: run.session_id })}>{componentOf(run)}</a>
  },
  { title: "Session", isCut: true, cell: ({ session_id, session_name }) => session_name ?? session_id },
  { title: "User", isCut: true, cell: ({ user_id }) => user_id },
  { title: "Model", cell: ({ model }) => model },
  { title: "Started", sort: "created_at", cell: ({ created_at }) => <Time value={created_at} /> },
  { title: "Took", sort: "duration", isNumber: true, cell: lengthOf },
  {
    title: "Tokens",
    sort: "total_tokens",
    isNumber: true,
    cell: ({ total_metrics }) => total_metrics?.total_tokens?.toLocaleString()
  },
  {
    title: "Cost",
    sort: "cost",
    isNumber: true,
    cell: ({ total_metrics }) => total_metrics?.cost === undefined ? null : money(total_metrics.cost)
  }
]

export const RunsPage = () => (
  <ResourceList
    title="Runs"
    filters={filters}
    forms={() => <SavedViews />}
    load={(paging, filters, signal) => svc().runs.list({ ...within(filters), ...paging }, { signal })}
    every={3000}
    columns={columns}
    keyOf={({ run_id }) => run_id}
    empty={
      <>
        Start one in the <a href={href(["chat"])}>chat</a>, or with <code>svc run</code>.
      </>
    }
  />
)
