// What a service is doing, and what needs a person: made from its metrics, its nodes and its lists.
import type { DatabaseNodes, RunItem, Schedule, Webhook } from "@svc-runtime/client"
import { bytes } from "../parts/units.ts"
import { quantileOf, type Sample, sumsOf } from "./samples.ts"

/** What was loaded. What the caller may not read is undefined. */
export interface Facts {
  readonly isReady: boolean | undefined
  readonly nodes: ReadonlyArray<DatabaseNodes> | undefined
  readonly samples: ReadonlyArray<Sample> | undefined
  /** Of the last 24 hours, at most `maxFailed`. */
  readonly failed: ReadonlyArray<RunItem> | undefined
  readonly schedules: ReadonlyArray<Schedule> | undefined
  readonly webhooks: ReadonlyArray<Webhook> | undefined
  /** Of each database, the migrations that it does not have yet. */
  readonly pending: ReadonlyArray<{ readonly db_id: string; readonly count: number }> | undefined
}

export const maxFailed = 100

export interface Attention {
  readonly level: "bad" | "warn"
  readonly text: string
  /** The page that says more. */
  readonly page?: ReadonlyArray<string>
  readonly query?: Readonly<Record<string, string>>
}

const counted = (count: number, noun: string): string => `${count.toLocaleString()} ${noun}${count === 1 ? "" : "s"}`
const waits = (count: number): string => count === 1 ? "waits" : "wait"
const was = (count: number): string => count === 1 ? "was" : "were"

const ofNodes = (databases: ReadonlyArray<DatabaseNodes>): ReadonlyArray<Attention> =>
  databases.flatMap(({ db_id, is_available, nodes, waiting_runs }): ReadonlyArray<Attention> => [
    ...(is_available ? [] : [{ level: "bad", text: `The database ${db_id} does not reply` } as const]),
    ...(waiting_runs === 0
      ? []
      : [
        {
          level: "warn",
          text: `${counted(waiting_runs, "run")} of ${db_id} ${waits(waiting_runs)} for a node`
        } as const
      ]),
    ...nodes.filter(({ state }) => state === "silent").map(({ node, seconds_since_heartbeat }) => ({
      level: "warn" as const,
      text: `The node ${node} has been silent for ${Math.round(seconds_since_heartbeat).toLocaleString()} s`
    }))
  ])

const ofSamples = (samples: ReadonlyArray<Sample>): ReadonlyArray<Attention> => {
  const of = (name: string, by?: string) => [...sumsOf(samples, name, by)].filter(([, sum]) => sum > 0)
  const delay = quantileOf(samples, "svc_event_loop_delay_seconds", 0.99) ?? 0
  return [
    ...of("svc_model_provider_stopped", "provider").map(([provider]) => ({
      level: "bad" as const,
      text: `${provider} fails, and gets no requests for the moment`
    })),
    ...of("svc_database_connections_waiting").map(([, sum]) => ({
      level: "warn" as const,
      text: `${counted(sum, "connection")} ${waits(sum)} for a reply of the database`
    })),
    ...of("svc_spans_dropped_total").map(([, sum]) => ({
      level: "warn" as const,
      text: `${counted(sum, "span")} of traces ${was(sum)} dropped since this node started`
    })),
    ...of("svc_runs_refused_total", "limit").map(([limit, sum]) => ({
      level: "warn" as const,
      text: `${counted(sum, "run")} ${was(sum)} refused by the limit ${limit} since this node started`
    })),
    ...(delay > 0.5
      ? [{ level: "warn" as const, text: `This node is busy: one event in a hundred waits ${delay} s or longer` }]
      : [])
  ]
}

/** Whether the caller may read all that this says something about. */
export const isWhole = ({ failed, nodes, pending, samples }: Facts): boolean =>
  failed !== undefined && nodes !== undefined && pending !== undefined && samples !== undefined

/** What fails or waits, the worst first. */
export const attentionOf = (facts: Facts): ReadonlyArray<Attention> =>
  [
    ...(facts.isReady === false ? [{ level: "bad", text: "The service accepts no work" } as const] : []),
    ...ofNodes(facts.nodes ?? []),
    ...(facts.pending ?? []).filter(({ count }) => count > 0).map(({ count, db_id }) => ({
      level: "warn" as const,
      text: `The database ${db_id} lacks ${counted(count, "migration")}`
    })),
    ...ofSamples(facts.samples ?? []),
    ...(facts.schedules ?? []).filter(({ consecutive_failures, paused_reason }) =>
      consecutive_failures > 0 || paused_reason !== null
    ).map(({ consecutive_failures, name, paused_reason }) => ({
      level: "bad" as const,
      text: paused_reason === null
        ? `The schedule ${name} has failed ${consecutive_failures === 1 ? "once" : `${consecutive_failures} times`}`
        : `The schedule ${name} was disabled: ${paused_reason}`,
      page: ["schedules"]
    })),
    ...(facts.webhooks ?? []).filter(({ disabled_reason, dropped, failures, secret_problem }) =>
      failures > 0 || dropped > 0 || disabled_reason !== null || secret_problem !== null
    ).map(({ disabled_reason, dropped, failures, secret_problem, url }) => ({
      level: "bad" as const,
      text: disabled_reason !== null
        ? `The webhook ${url} was disabled: ${disabled_reason}`
        : secret_problem !== null
        ? `Calls of the webhook ${url} cannot be signed: ${secret_problem}`
        : failures > 0
        ? `The webhook ${url} has failed ${failures === 1 ? "once" : `${failures} times`}`
        : `${counted(dropped, "event")} for the webhook ${url} ${was(dropped)} dropped`,
      page: ["webhooks"]
    })),
    ...((facts.failed?.length ?? 0) === 0 ? [] : [{
      level: "warn" as const,
      text: `${counted(facts.failed?.length ?? 0, "run")}${
        facts.failed?.length === maxFailed ? " or more" : ""
      } of the last 24 hours failed`,
      page: ["runs"],
      query: { status: "ERROR", since: "24 hours" }
    }])
  ].toSorted((one, other) => Number(one.level === "warn") - Number(other.level === "warn"))

export interface Card {
  readonly title: string
  readonly value: string
  readonly detail: string
}

const percent = new Intl.NumberFormat(undefined, { style: "percent", maximumFractionDigits: 1 })

/** The figures of the node that responds, since it started. */
export const cardsOf = (samples: ReadonlyArray<Sample>): ReadonlyArray<Card> => {
  const sum = (name: string) => sumsOf(samples, name).get("")
  const by = (name: string, label: string) => sumsOf(samples, name, label)
  const models = by("svc_model_requests_total", "outcome")
  const requests = [...models.values()].reduce((all, each) => all + each, 0)
  const [memory, open] = [sum("process_resident_memory_bytes"), sum("svc_database_connections")]
  const waiting = [...by("svc_jobs_waiting", "kind")].filter(([, count]) => count > 0)
  const latency = quantileOf(samples, "svc_model_request_duration_seconds", 0.95)
  const ended = by("svc_runs_total", "status")
  return [
    {
      title: "Runs now",
      value: (sum("svc_runs_held") ?? 0).toLocaleString(),
      detail: `${(sum("svc_runs_queued") ?? 0).toLocaleString()} of them wait in their sessions`
    },
    {
      title: "Ended runs",
      value: [...ended.values()].reduce((all, each) => all + each, 0).toLocaleString(),
      detail: `${(ended.get("ERROR") ?? 0).toLocaleString()} failed`
    },
    {
      title: "Jobs that wait",
      value: waiting.reduce((all, [, count]) => all + count, 0).toLocaleString(),
      detail: waiting.length === 0 ? "none is due" : waiting.map(([kind, count]) => `${kind}: ${count}`).join(", ")
    },
    {
      title: "Requests to models",
      value: requests.toLocaleString(),
      detail: requests === 0
        ? "none yet"
        : `${percent.format(1 - (models.get("ok") ?? 0) / requests)} failed` +
          (latency === undefined ? "" : `, 95 % within ${latency === Infinity ? "more than a minute" : `${latency} s`}`)
    },
    ...(open === undefined ? [] : [{
      title: "Database connections",
      value: open.toLocaleString(),
      detail: `of ${(sum("svc_database_connections_max") ?? 0).toLocaleString()}`
    }]),
    ...(memory === undefined ? [] : [{
      title: "Memory",
      value: bytes(memory),
      detail: `${bytes(sum("svc_heap_used_bytes") ?? 0)} of it are objects`
    }])
  ]
}

/** A row for each value of a label. */
export interface ModelRow {
  readonly model: string
  readonly requests: number
  readonly failed: number
  readonly p95: number | undefined
}

export const modelsOf = (samples: ReadonlyArray<Sample>): ReadonlyArray<ModelRow> => {
  const own = samples.filter(({ name }) => name.startsWith("svc_model_request"))
  const names = new Set(own.map(({ labels }) => `${labels["provider"]}:${labels["model"]}`))
  return [...names].map((model) => {
    const of = own.filter(({ labels }) => `${labels["provider"]}:${labels["model"]}` === model)
    const outcomes = sumsOf(of, "svc_model_requests_total", "outcome")
    const requests = [...outcomes.values()].reduce((all, each) => all + each, 0)
    return {
      model,
      requests,
      failed: requests - (outcomes.get("ok") ?? 0),
      p95: quantileOf(of, "svc_model_request_duration_seconds", 0.95)
    }
  }).toSorted((one, other) => other.requests - one.requests)
}

export interface JobRow {
  readonly kind: string
  readonly waiting: number
  readonly ended: ReadonlyMap<string, number>
  /** It does nothing but its turns, as the upkeep of the service. */
  readonly isRegular: boolean
}

export const jobsOf = (samples: ReadonlyArray<Sample>): ReadonlyArray<JobRow> => {
  const waiting = sumsOf(samples, "svc_jobs_waiting", "kind")
  const kinds = new Set([...waiting.keys(), ...sumsOf(samples, "svc_jobs_total", "kind").keys()])
  return [...kinds].toSorted().map((kind) => {
    const ended = sumsOf(samples.filter(({ labels }) => labels["kind"] === kind), "svc_jobs_total", "status")
    const waits = waiting.get(kind) ?? 0
    return { kind, waiting: waits, ended, isRegular: waits === 0 && [...ended.keys()].every((end) => end === "repeat") }
  }).filter(({ ended, waiting }) => waiting > 0 || ended.size > 0)
}
