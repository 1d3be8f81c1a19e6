// The schedules of the service.
import type { Schedule } from "@svc-runtime/client"
import { Status } from "../parts/Status.tsx"
import { Time } from "../parts/Time.tsx"
import { ResourceList } from "../resources/ResourceList.tsx"
import type { Column } from "../resources/Table.tsx"
import { go, href } from "../Route.ts"
import { svc } from "../service/Service.ts"
import { ScheduleActions } from "./ScheduleActions.tsx"
import { ScheduleForm } from "./ScheduleForm.tsx"

const columns: ReadonlyArray<Column<Schedule>> = [
  { title: "Name", cell: ({ id, name }) => <a href={href(["schedules", id])}>{name}</a> },
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
    columns={columns}
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
