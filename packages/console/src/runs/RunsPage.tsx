// The runs of all components, the newest first. The list is read again while it is open.
import type { RunItem } from "@svc-runtime/client"
import { Activity } from "lucide"
import { Empty } from "../parts/Empty.tsx"
import { Pages } from "../parts/Pages.tsx"
import { Problem } from "../parts/Problem.tsx"
import { Status } from "../parts/Status.tsx"
import { duration, instantOf, Time } from "../parts/Time.tsx"
import { useLastPage } from "../parts/useLastPage.ts"
import { Filters } from "../resources/Filters.tsx"
import { type Column, Table } from "../resources/Table.tsx"
import { href, route, whole } from "../Route.ts"
import { kinds } from "../service/components.ts"
import { svc } from "../service/Service.ts"
import { useLoaded } from "../service/useLoaded.ts"
import { hasEnded } from "./RunStatus.ts"

const filters = [
  { name: "status", title: "State", choices: ["PENDING", "RUNNING", "PAUSED", "COMPLETED", "CANCELLED", "ERROR"] },
  { name: "type", title: "Kind", choices: kinds },
  { name: "component_id", title: "Component" },
  { name: "session_id", title: "Session" },
  { name: "user_id", title: "User" }
]

const refresh = 3000

export const componentOf = (
  { agent_id, team_id, workflow_id }: Pick<RunItem, "agent_id" | "team_id" | "workflow_id">
) => agent_id ?? team_id ?? workflow_id ?? ""

const lengthOf = ({ created_at, status, updated_at }: RunItem): string => {
  if (!hasEnded(status)) return ""
  const millis = instantOf(updated_at).getTime() - instantOf(created_at).getTime()
  // the times of the list have seconds
  if (millis === 0) return "< 1 s"
  return millis < 60_000 ? `${millis / 1000} s` : duration(millis)
}

const columns: ReadonlyArray<Column<RunItem>> = [
  { title: "State", cell: ({ status }) => <Status value={status} /> },
  {
    title: "Component",
    cell: (run) => <a href={href(["runs", run.run_id], { session: run.session_id })}>{componentOf(run)}</a>
  },
  { title: "Session", isCut: true, cell: ({ session_id, session_name }) => session_name ?? session_id },
  { title: "User", cell: ({ user_id }) => user_id ?? <span class="quiet">–</span> },
  { title: "Started", cell: ({ created_at }) => <Time value={created_at} /> },
  { title: "Took", cell: lengthOf }
]

export const RunsPage = () => {
  const { query: { page, ...given } } = route.value
  const { problem, reload, value } = useLoaded(
    (signal) => svc().runs.list({ ...given, limit: 50, page: whole(page) ?? 1 }, { signal }),
    [given, page],
    { every: refresh }
  )
  useLastPage(value)
  return (
    <section class="page">
      <h1>Runs</h1>
      <Filters filters={filters} />
      <Problem error={problem} retry={reload} />
      {value === undefined
        ? null
        : value.data.length === 0
        ? (
          <Empty icon={Activity} title="No runs">
            {Object.keys(given).length === 0
              ? (
                <>
                  Start one in the <a href={href(["chat"])}>chat</a>, or with <code>svc run</code>.
                </>
              )
              : (
                <>
                  Nothing matches the filters. <a href={href(["runs"])}>Show all runs</a>
                </>
              )}
          </Empty>
        )
        : (
          <>
            <Table columns={columns} entries={value.data} keyOf={({ run_id }) => run_id} />
            <Pages meta={value.meta} />
          </>
        )}
    </section>
  )
}
