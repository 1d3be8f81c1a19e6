// Stored traces, with filters.
import type { TraceSummary } from "@svc-runtime/client"
import { Status } from "../parts/Status.tsx"
import { Time } from "../parts/Time.tsx"
import { ResourceList } from "../resources/ResourceList.tsx"
import type { Column } from "../resources/Table.tsx"
import { href } from "../Route.ts"
import { componentOf } from "../runs/RunsPage.tsx"
import { Label } from "../runs/Waterfall.tsx"
import { svc } from "../service/Service.ts"

const columns: ReadonlyArray<Column<TraceSummary>> = [
  {
    title: "Trace",
    cell: ({ name, team_id, trace_id }) => (
      <a href={href(["traces", trace_id])}>
        <Label node={{ name, team_id }} />
      </a>
    )
  },
  { title: "State", cell: ({ status }) => <Status value={status} /> },
  {
    title: "Component",
    cell: ({ agent_id = null, team_id = null, workflow_id = null }) => componentOf({ agent_id, team_id, workflow_id })
  },
  { title: "Input", isCut: true, cell: ({ input }) => input },
  { title: "User", cell: ({ user_id }) => user_id },
  { title: "Spans", cell: ({ total_spans }) => total_spans },
  { title: "Failed spans", cell: ({ error_count }) => error_count },
  { title: "Took", cell: ({ duration }) => duration.replace(/(\d)([a-z])/, "$1 $2") },
  { title: "Started", cell: ({ start_time }) => <Time value={start_time} /> }
]

export const TracesPage = () => (
  <ResourceList
    title="Traces"
    filters={[
      { name: "status", title: "State", choices: ["OK", "ERROR"] },
      { name: "agent_id", title: "Agent" },
      { name: "team_id", title: "Team" },
      { name: "workflow_id", title: "Workflow" },
      { name: "session_id", title: "Session" },
      { name: "run_id", title: "Run" },
      { name: "user_id", title: "User" }
    ]}
    load={(paging, filters, signal) => svc().traces.list({ ...filters, ...paging }, { signal })}
    every={5000}
    columns={columns}
    keyOf={({ trace_id }) => trace_id}
    empty="Start a run. Traces are stored by default on the embedded database; set TRACES=true to store them on PostgreSQL."
  />
)
