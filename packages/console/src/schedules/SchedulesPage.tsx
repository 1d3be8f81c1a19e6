// The schedules of the service. The page of one has its next times, its settings, and the runs that it started.
import type { Schedule, ScheduleRun } from "@svc-runtime/client"
import { InCode } from "../parts/InCode.tsx"
import { Problem } from "../parts/Problem.tsx"
import { Status } from "../parts/Status.tsx"
import { Time } from "../parts/Time.tsx"
import { Action } from "../resources/Action.tsx"
import { ResourceList } from "../resources/ResourceList.tsx"
import type { Column } from "../resources/Table.tsx"
import { go, href, route } from "../Route.ts"
import { svc } from "../service/Service.ts"
import { useLoaded } from "../service/useLoaded.ts"
import { NextTimes } from "./NextTimes.tsx"
import { ScheduleForm, versionOf } from "./ScheduleForm.tsx"

// What can be done with a schedule.

interface Props {
  readonly schedule: Schedule
  readonly changed: () => void
  readonly deleted: () => void
}

/** Milliseconds. */
const refusal = 1000

/** The service responds when the run has ended. It refuses at once. */
const trigger = (id: string): Promise<unknown> =>
  Promise.race([svc().schedules.trigger(id), new Promise((resolve) => setTimeout(resolve, refusal))])

const ScheduleActions = ({ changed, deleted, schedule: { declared, enabled, id, name } }: Props) => (
  <>
    <Action
      scope="schedules:write"
      label={`Trigger ${name}`}
      run={() => trigger(id)}
      done={() => {
        changed()
        // its page shows the run
        go(href(["schedules", id]))
      }}
    >
      Trigger
    </Action>
    {enabled
      ? (
        <Action
          scope="schedules:write"
          label={`Disable ${name}`}
          run={() => svc().schedules.disable(id)}
          done={changed}
        >
          Disable
        </Action>
      )
      : (
        <Action scope="schedules:write" label={`Enable ${name}`} run={() => svc().schedules.enable(id)} done={changed}>
          Enable
        </Action>
      )}
    {declared ? null : (
      <Action
        scope="schedules:delete"
        label={`Delete ${name}`}
        question={`Delete the schedule "${name}" with its history?`}
        run={() => svc().schedules.delete(id)}
        done={deleted}
      >
        Delete
      </Action>
    )}
  </>
)

const scheduleColumns: ReadonlyArray<Column<Schedule>> = [
  {
    title: "Name",
    cell: ({ declared, id, name }) => (
      <>
        <a href={href(["schedules", id])}>{name}</a> <InCode declared={declared} />
      </>
    )
  },
  { title: "State", cell: ({ enabled }) => <Status value={enabled ? "enabled" : "disabled"} /> },
  {
    title: "When",
    cell: ({ cron_expr, timezone }) => (
      <>
        <code>{cron_expr}</code> <span class="quiet">{timezone}</span>
      </>
    )
  },
  { title: "Runs", isCut: true, cell: ({ endpoint, method }) => `${method} ${endpoint}` },
  { title: "Next time", cell: ({ enabled, next_run_at }) => <Time value={enabled ? next_run_at : null} /> },
  { title: "Failures in a row", cell: ({ consecutive_failures }) => consecutive_failures }
]

export const SchedulesPage = () => (
  <ResourceList
    title="Schedules"
    filters={[{ name: "enabled", title: "Enabled", choices: ["true", "false"] }]}
    load={(paging, { enabled }, signal) =>
      svc().schedules.list({ ...paging, ...(enabled === undefined ? {} : { enabled: enabled === "true" }) }, {
        signal
      })}
    every={10_000}
    columns={scheduleColumns}
    keyOf={({ id }) => id}
    actions={(schedule, reload) => <ScheduleActions schedule={schedule} changed={reload} deleted={reload} />}
    forms={() => (
      <ScheduleForm
        title="New schedule"
        button="Create"
        submit={(body) => svc().schedules.create(body).then(({ id }) => go(href(["schedules", id])))}
      />
    )}
    empty={<>A schedule starts a run at the times of a cron expression. Create one above.</>}
  />
)

const runColumns: ReadonlyArray<Column<ScheduleRun>> = [
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
        <Status value={schedule.enabled ? "enabled" : "disabled"} /> <InCode declared={schedule.declared} />{" "}
        <code>{cron_expr}</code> {timezone}: {method} <code>{endpoint}</code>
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
      {schedule.declared ? null : (
        <ScheduleForm
          key={versionOf(schedule)}
          schedule={schedule}
          title="Change the schedule"
          button="Save"
          submit={(body) => svc().schedules.update(id, body).then(reload)}
        />
      )}
      <ResourceList
        isPart
        title="History"
        load={(paging, _, signal) => svc().schedules.runs(id, paging, { signal })}
        every={1000}
        columns={runColumns}
        keyOf={({ id }) => id}
        empty="It has not run yet. Trigger it to see a result at once."
      />
    </section>
  )
}
