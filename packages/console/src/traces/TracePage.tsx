// One trace, also of what is no run.
import type { TraceDetail } from "@svc-runtime/client"
import { Problem } from "../parts/Problem.tsx"
import { Status } from "../parts/Status.tsx"
import { Time } from "../parts/Time.tsx"
import { href, route } from "../Route.ts"
import { timelineOf } from "../runs/Spans.ts"
import { Label, Waterfall } from "../runs/Waterfall.tsx"
import { svc } from "../service/Service.ts"
import { useLoaded } from "../service/useLoaded.ts"

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
