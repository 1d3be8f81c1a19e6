// One schedule: its next times, its settings, and the runs that it started.
import type { ScheduleRun } from "@svc-runtime/client"
import { Problem } from "../parts/Problem.tsx"
import { Status } from "../parts/Status.tsx"
import { Time } from "../parts/Time.tsx"
import { ResourceList } from "../resources/ResourceList.tsx"
import type { Column } from "../resources/Table.tsx"
import { go, href, route } from "../Route.ts"
import { svc } from "../service/Service.ts"
import { useLoaded } from "../service/useLoaded.ts"
import { NextTimes } from "./NextTimes.tsx"
import { ScheduleActions } from "./ScheduleActions.tsx"
import { ScheduleForm, versionOf } from "./ScheduleForm.tsx"

const columns: ReadonlyArray<Column<ScheduleRun>> = [
  { title: "State", cell: ({ status }) => <Status value={status} /> },
  { title: "Triggered", cell: ({ created_at, triggered_at }) => <Time value={triggered_at ?? created_at} /> },
  { title: "Ended", cell: ({ completed_at }) => <Time value={completed_at} /> },
  { title: "Attempt", cell: ({ attempt }) => attempt },
  {
    title: "Run",
    cell: ({ run_id }) =>
      run_id === null ? <span class="quiet">–</span> : <a href={href(["runs", run_id])}>Look at the run</a>
  },
  { title: "Error", cell: ({ error }) => error }
]

export const SchedulePage = () => {
  const { path: [, id = ""] } = route.value
  const { problem, reload, value: schedule } = useLoaded((signal) => svc().schedules.get(id, { signal }), [id], {
    every: 10_000
  })
  if (schedule === undefined) {
    return (
      <section class="page">
        <Problem error={problem} retry={reload} />
      </section>
    )
  }
  const { cron_expr, description, endpoint, method, name, paused_reason, timezone } = schedule
  return (
    <section class="page">
      <p>
        <a href={href(["schedules"])}>Schedules</a>
      </p>
      <h1>{name}</h1>
      <p>
        <Status value={schedule.enabled ? "enabled" : "disabled"} /> <code>{cron_expr}</code> {timezone}: {method}{" "}
        <code>{endpoint}</code>
      </p>
      {description === null ? null : <p>{description}</p>}
      {paused_reason === null ? null : <p class="problem">{paused_reason}</p>}
      <div class="actions">
        <ScheduleActions schedule={schedule} changed={reload} deleted={() => go(href(["schedules"]))} />
      </div>
      <Problem error={problem} />
      <h2>
        Next times <span class="quiet">in your time zone</span>
      </h2>
      {schedule.enabled
        ? <NextTimes id={id} cron_expr={cron_expr} timezone={timezone} next={schedule.next_run_at} />
        : <p class="quiet">It is disabled, and starts nothing until it is enabled.</p>}
      <ScheduleForm
        key={versionOf(schedule)}
        schedule={schedule}
        title="Change the schedule"
        button="Save"
        submit={(body) => svc().schedules.update(id, body).then(reload)}
      />
      <ResourceList
        isPart
        title="History"
        load={(paging, _, signal) => svc().schedules.runs(id, paging, { signal })}
        every={1000}
        columns={columns}
        keyOf={({ id }) => id}
        empty="It has not run yet. Trigger it to see a result at once."
      />
    </section>
  )
}
