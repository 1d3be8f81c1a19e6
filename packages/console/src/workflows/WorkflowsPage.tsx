// The workflows as graphs, each with its last runs.
import { Waypoints } from "lucide"
import { Empty } from "../parts/Empty.tsx"
import { Problem } from "../parts/Problem.tsx"
import { Status } from "../parts/Status.tsx"
import { Time } from "../parts/Time.tsx"
import { href, route } from "../Route.ts"
import { svc } from "../service/Service.ts"
import { useLoaded } from "../service/useLoaded.ts"
import { RunGraph } from "./RunGraph.tsx"

const refresh = 3000

const LastRuns = ({ chosen, id }: { readonly id: string; readonly chosen: string | undefined }) => {
  const { problem, value } = useLoaded(
    (signal) => svc().runs.list({ type: "workflow", component_id: id, limit: 10 }, { signal }),
    [id],
    { every: refresh }
  )
  return (
    <aside>
      <h2>Last runs</h2>
      <Problem error={problem} />
      <ul>
        {value?.data.map((run) => (
          <li key={run.run_id}>
            <a
              href={href(["workflows", id], { run: run.run_id, session: run.session_id })}
              {...(run.run_id === chosen ? { "aria-current": "true" as const } : {})}
            >
              <Time value={run.created_at} />
            </a>{" "}
            <Status value={run.status} /> <a href={href(["runs", run.run_id])}>Timeline</a>
          </li>
        ))}
      </ul>
      <a class="button" href={href(["chat", "workflow", id])}>Start a run</a>
    </aside>
  )
}

export const WorkflowsPage = () => {
  const { path: [, id], query: { run, session } } = route.value
  const { problem, reload, value } = useLoaded((signal) => svc().workflows.list({ signal }), [])
  const chosen = id ?? value?.[0]?.id
  return (
    <section class="page">
      <h1>Workflows</h1>
      <Problem error={problem} retry={reload} />
      {value === undefined ? null : chosen === undefined
        ? (
          <Empty icon={Waypoints} title="There are no workflows">
            Give your service one with <code>Workflow.make</code>.
          </Empty>
        )
        : (
          <>
            <nav class="tabs" aria-label="Workflows">
              {value.map(({ id, name }) => (
                <a
                  key={id}
                  href={href(["workflows", id])}
                  {...(id === chosen ? { "aria-current": "page" as const } : {})}
                >
                  {name ?? id}
                </a>
              ))}
            </nav>
            <div class="workflow">
              <RunGraph
                key={`${chosen} ${run ?? ""}`}
                id={chosen}
                run={run === undefined || session === undefined ? undefined : { run_id: run, session_id: session }}
              />
              <LastRuns id={chosen} chosen={run} />
            </div>
          </>
        )}
    </section>
  )
}
