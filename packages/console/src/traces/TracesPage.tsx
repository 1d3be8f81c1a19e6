// Stored traces, with filters.
import type { TraceDetail, TraceSummary } from "@svc-runtime/client"
import { Problem } from "../parts/Problem.tsx"
import { Status } from "../parts/Status.tsx"
import { Time } from "../parts/Time.tsx"
import { ResourceList } from "../resources/ResourceList.tsx"
import type { Column } from "../resources/Table.tsx"
import { href, route } from "../Route.ts"
import { componentOf } from "../runs/RunsPage.tsx"
import { timelineOf } from "../runs/Spans.ts"
import { Label, Waterfall } from "../runs/Waterfall.tsx"
import { svc } from "../service/Service.ts"
import { useLoaded } from "../service/useLoaded.ts"

// One trace, also of what is no run.

export const TracePage = () => {
  const { path: [, id = ""] } = route.value
  const { problem, reload, value } = useLoaded(
    (signal) => svc().traces.get(id, {}, { signal }) as Promise<TraceDetail>,
    [id]
  )
  return (
    <section class="page">
      <p>
        <a href={href(["traces"])}>Traces</a>
      </p>
      <Problem error={problem} retry={reload} />
      {value === undefined ? null : (
        <>
          <h1>
            <Label node={value} />
          </h1>
          <p>
            <Status value={value.status} /> <Time value={value.start_time} />{" "}
            {value.run_id === undefined ? null : <a href={href(["runs", value.run_id])}>Look at the run</a>}
          </p>
          <Waterfall timeline={timelineOf([value])} />
        </>
      )}
    </section>
  )
}

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
  { title: "Spans", isNumber: true, cell: ({ total_spans }) => total_spans },
  { title: "Failed spans", isNumber: true, cell: ({ error_count }) => error_count },
  { title: "Took", isNumber: true, cell: ({ duration }) => duration.replace(/(\d)([a-z])/, "$1 $2") },
  { title: "Started", cell: ({ start_time }) => <Time value={start_time} /> }
]

export const TracesPage = () => (
  <ResourceList
    title="Traces"
    filters={[
      { name: "status", title: "State", choices: ["OK", "ERROR"] },
      { name: "agent_id", title: "Agent", components: ["agent"] },
      { name: "session_id", title: "Session" },
      { name: "user_id", title: "User" },
      { name: "team_id", title: "Team", components: ["team"], isRare: true },
      { name: "workflow_id", title: "Workflow", components: ["workflow"], isRare: true },
      { name: "run_id", title: "Run", isRare: true }
    ]}
    load={(paging, filters, signal) => svc().traces.list({ ...filters, ...paging }, { signal })}
    every={5000}
    columns={columns}
    keyOf={({ trace_id }) => trace_id}
    empty="Start a run. Traces are stored by default on the embedded database; set TRACES=true to store them on PostgreSQL."
  />
)
