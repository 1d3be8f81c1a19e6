// Creates a schedule, or changes one.
import type { JsonObject, Schedule, ScheduleCreate } from "@svc/client"
import type { FieldOptions } from "../resources/FormField.tsx"
import { ResourceForm, type Values } from "../resources/ResourceForm.tsx"
import { loadComponents } from "../service/components.ts"
import { useLoaded } from "../service/useLoaded.ts"

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone

const fieldsOf = (endpoints: FieldOptions["choices"] = []): ReadonlyArray<FieldOptions> => [
  { name: "name", title: "Name", isRequired: true },
  {
    name: "cron_expr",
    title: "Cron expression",
    isRequired: true,
    hint: "minute, hour, day, month, day of the week: 0 9 * * mon-fri is every working day at nine"
  },
  { name: "timezone", title: "Time zone", hint: "such as Europe/Berlin" },
  { name: "endpoint", title: "Runs", choices: endpoints, isRequired: true },
  { name: "message", title: "Message", kind: "lines" },
  { name: "description", title: "Description" }
]

const bodyOf = (
  { cron_expr = "", description = "", endpoint = "", message = "", name = "", timezone = "" }: Values,
  payload: Schedule["payload"]
) => {
  const { message: _, ...rest } = payload ?? {}
  return {
    name,
    cron_expr,
    endpoint,
    description: description === "" ? null : description,
    payload: message === "" ? (Object.keys(rest).length === 0 ? null : rest) : { ...rest, message },
    timezone: timezone === "" ? "UTC" : timezone
  } satisfies ScheduleCreate
}

interface Shown {
  readonly schedule?: Schedule
  readonly title: string
  readonly button: string
  readonly submit: (body: ScheduleCreate) => Promise<unknown>
}

export const ScheduleForm = ({ button, schedule, submit, title }: Shown) => {
  const { value: components = [] } = useLoaded((signal) => loadComponents(signal).catch(() => []), [])
  const endpoints = components.map(({ id, kind, name }) => [`/${kind}s/${id}/runs`, `${kind} ${name ?? id}`] as const)
  const isOther = schedule !== undefined && !endpoints.some(([endpoint]) => endpoint === schedule.endpoint)
  const { message } = (schedule?.payload ?? {}) as JsonObject
  return (
    <ResourceForm
      title={title}
      button={button}
      isFolded
      fields={fieldsOf(
        isOther ? [[schedule.endpoint, `${schedule.method} ${schedule.endpoint}`], ...endpoints] : endpoints
      )}
      initial={schedule === undefined ? { timezone: zone } : {
        name: schedule.name,
        cron_expr: schedule.cron_expr,
        timezone: schedule.timezone,
        endpoint: schedule.endpoint,
        description: schedule.description ?? "",
        message: typeof message === "string" ? message : ""
      }}
      submit={(values) => submit(bodyOf(values, schedule?.payload ?? null))}
    />
  )
}
