// Creates a schedule, or changes one.
import type { JsonObject, Schedule, ScheduleCreate } from "@svc-runtime/client"
import { jsonObject } from "../parts/parsed.ts"
import type { FieldOptions } from "../resources/FormField.tsx"
import { given, ResourceForm, type Values } from "../resources/ResourceForm.tsx"
import { loadComponents } from "../service/components.ts"
import { useLoaded } from "../service/useLoaded.ts"
import { CronPreview } from "./NextTimes.tsx"

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone

const numbers = [
  ["timeout_seconds", "Time limit of a run", "seconds, an hour if it is empty", 3600],
  ["max_retries", "Repetitions of a failed run", "none if it is empty", 0],
  ["retry_delay_seconds", "Seconds before a repetition", "60 if it is empty", 60],
  ["jitter_seconds", "Begins up to so many seconds later", "0 if it is empty", 0],
  ["catch_up_window_seconds", "Missed times are this old at most", "seconds, a year if it is empty", 31_536_000]
] as const

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
  { name: "description", title: "Description" },
  { name: "session_id", title: "Session", hint: "all of its runs are in it; a new one each time if it is empty" },
  ...numbers.map(([name, title, hint]) => ({ name, title, hint, kind: "number", isFurther: true } as const)),
  {
    name: "overlap",
    title: "While a run has not ended",
    choices: [
      ["skip", "skip the time"],
      ["queue", "wait for its end"],
      ["allow", "start beside it"],
      ["cancel", "cancel it"]
    ],
    isFurther: true
  },
  {
    name: "catch_up",
    title: "Times missed while the service was down",
    choices: [["one", "start one run"], ["all", "start a run for each"], ["skip", "skip them"]],
    isFurther: true
  },
  {
    name: "rest",
    title: "Other fields of the request",
    kind: "json",
    hint: "a JSON object, such as {\"user_id\": \"ann\"}",
    isFurther: true
  }
]

const textIn = (payload: JsonObject, name: string): string => {
  const { [name]: value } = payload
  return typeof value === "string" ? value : ""
}

/** The fields of the payload that have a field of the form, and the others. */
const shownOf = (payload: JsonObject): Values => {
  const [message, session_id] = [textIn(payload, "message"), textIn(payload, "session_id")]
  const rest = Object.entries(payload).filter(([name]) =>
    !(name === "message" && message !== "") && !(name === "session_id" && session_id !== "")
  )
  return { message, session_id, rest: rest.length === 0 ? "" : JSON.stringify(Object.fromEntries(rest), null, 2) }
}

const policies = ["overlap", "catch_up"] as const

const initialOf = (schedule: Schedule): Values => ({
  name: schedule.name,
  cron_expr: schedule.cron_expr,
  timezone: schedule.timezone,
  endpoint: schedule.endpoint,
  description: schedule.description ?? "",
  ...Object.fromEntries(numbers.map(([name]) => [name, String(schedule[name])])),
  ...Object.fromEntries(policies.map((name) => [name, schedule[name]])),
  ...shownOf(schedule.payload ?? {})
})

/** Changes when a value of the form was changed, and not when the schedule starts a run. */
export const versionOf = (schedule: Schedule): string => JSON.stringify(initialOf(schedule))

/** Where components are run. */
const ofRuns = /^\/(agents|teams|workflows)\/[^/]+\/runs$/

const bodyOf = (values: Values): ScheduleCreate => {
  const { cron_expr = "", description = "", endpoint = "", name = "", rest = "", timezone = "" } = values
  const { message, session_id } = given(values)
  const payload: JsonObject = {
    ...jsonObject(rest),
    ...(message === undefined ? {} : { message }),
    ...(session_id === undefined ? {} : { session_id })
  }
  const set = given(values)
  return {
    name,
    cron_expr,
    endpoint,
    description: description === "" ? null : description,
    payload: Object.keys(payload).length === 0 ? null : payload,
    timezone: timezone === "" ? "UTC" : timezone,
    // a field that was emptied has its default again
    ...Object.fromEntries(numbers.map(([name, , , initial]) => [name, Number(set[name] ?? initial)])),
    ...(ofRuns.test(endpoint) ? { method: "POST" as const } : {}),
    ...Object.fromEntries(policies.map((name) => [name, values[name]]))
  }
}

interface Props {
  readonly schedule?: Schedule
  readonly title: string
  readonly button: string
  readonly submit: (body: ScheduleCreate) => Promise<unknown>
}

export const ScheduleForm = ({ button, schedule, submit, title }: Props) => {
  const { value: components = [] } = useLoaded((signal) => loadComponents(signal).catch(() => []), [])
  const endpoints = components.map(({ id, kind, name }) => [`/${kind}s/${id}/runs`, `${kind} ${name ?? id}`] as const)
  const isOther = schedule !== undefined && !endpoints.some(([endpoint]) => endpoint === schedule.endpoint)
  return (
    <ResourceForm
      scope="schedules:write"
      title={title}
      button={button}
      isFolded
      fields={fieldsOf(
        isOther ? [[schedule.endpoint, `${schedule.method} ${schedule.endpoint}`], ...endpoints] : endpoints
      )}
      initial={schedule === undefined ? { timezone: zone } : initialOf(schedule)}
      preview={({ cron_expr = "", timezone = "" }) => <CronPreview cron_expr={cron_expr} timezone={timezone} />}
      submit={(values) => submit(bodyOf(values))}
    />
  )
}
