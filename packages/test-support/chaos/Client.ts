// A client of a service that can stop at any moment: it starts runs, reads streams for as long as they last, and
// retries.
import { assert } from "@effect/vitest"
import * as ServiceClient from "@svc-runtime/test-support/ServiceClient"
import { Effect } from "effect"
import type { Subject } from "./Subjects.ts"
import * as Tasks from "./Tasks.ts"

export interface Event {
  readonly index: number
  readonly kind: string
  readonly data: string
}

/** Whole events; a piece that broke off is none. */
export const parse = (text: string): ReadonlyArray<Event> =>
  text.split("\n\n").slice(0, -1).flatMap((block) => {
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1]
    const index = field("id")
    return index === undefined ? [] : [{ index: Number(index), kind: field("event") ?? "", data: field("data") ?? "" }]
  })

/** The text of a piece of an answer, which can be empty. Undefined for other events. */
const textOf = ({ data, kind }: Event): string | undefined => {
  if (!/^(Team)?RunContent$/.test(kind)) return undefined
  const { content = "", reasoning_content = "" } = JSON.parse(data)
  return typeof content === "string" ? `${content}${reasoning_content}` : undefined
}

/** What was shown is kept, except for words that were lost: events without text have their places. */
export const checkShown = (shown: ReadonlyArray<Event>, kept: ReadonlyArray<Event>, message: string): void => {
  const expected = shown.map((event, index) => {
    const instead = kept[index]
    const isLost = textOf(event) !== undefined && instead !== undefined && textOf(instead) === ""
    return isLost ? instead : event
  })
  assert.deepStrictEqual(expected, kept.slice(0, shown.length), message)
}

export interface Tool {
  readonly tool_name: string
  readonly tool_call_id: string
  readonly result: string | null
  readonly external_execution_required?: boolean | null
  readonly outcome_unknown?: boolean
}

export interface Requirement {
  readonly id: string
  readonly tool_execution: Tool
  readonly confirmation?: boolean
  readonly external_execution_result?: string
  readonly member_run_id?: string
}

/** Of an agent, a team or a workflow. */
export interface Output {
  readonly run_id: string
  readonly status: string
  readonly content: string
  readonly metrics?: { readonly total_tokens?: number }
  readonly tools?: ReadonlyArray<Tool>
  readonly requirements?: ReadonlyArray<Requirement>
  readonly member_responses?: ReadonlyArray<Output>
  readonly step_executor_runs?: ReadonlyArray<Output>
  readonly step_requirements?: ReadonlyArray<{
    readonly step_id: string
    readonly executor_run_id?: string
    readonly executor_requirements?: ReadonlyArray<Requirement>
  }>
  readonly error_requirements?: ReadonlyArray<{
    readonly id: string
    readonly step_id: string
    readonly step_index: number | ReadonlyArray<number>
    readonly error_type: string
  }>
}

export interface Session {
  readonly runs: ReadonlyArray<Pick<Output, "run_id" | "status">>
  readonly tokens: number | undefined
}

/** What can be done with the runs of one component. */
export const of = ({ path, task }: Subject) => ({
  start: (base: string, run: string, reading: ServiceClient.Reading = {}): Promise<ServiceClient.Received> =>
    ServiceClient.send(`${base}${path}/runs`, {
      ...reading,
      init: {
        method: "POST",
        body: new URLSearchParams({ message: Tasks.tell(task, run), run_id: run, session_id: run })
      }
    }),
  /** Under an idempotency key, by which the session is named. The service names the run. */
  startOnce: async (base: string, key: string) => {
    const { content, run_id } = await ServiceClient.read(`${base}${path}/runs`, {
      method: "POST",
      headers: { "idempotency-key": key },
      body: new URLSearchParams({ message: Tasks.tell(task, key), session_id: key, stream: "false" })
    }) as Output
    return { run_id, content }
  },
  /** The status of the answer. */
  cancel: async (base: string, run: string): Promise<number | undefined> =>
    (await ServiceClient.send(`${base}${path}/runs/${run}/cancel?session_id=${run}`, { init: { method: "POST" } }))
      .status,
  watch: (
    base: string,
    run: string,
    after = -1,
    reading: ServiceClient.Reading = {}
  ): Promise<ServiceClient.Received> =>
    ServiceClient.whileRefused(() =>
      ServiceClient.send(`${base}${path}/runs/${run}/events?session_id=${run}`, {
        ...reading,
        init: after < 0 ? {} : { headers: { "last-event-id": String(after) } }
      })
    ),
  /** Undefined when there is no such run. */
  find: async (base: string, run: string): Promise<Output | undefined> => {
    const { status, text } = await ServiceClient.request(`${base}${path}/runs/${run}?session_id=${run}`)
    if (status === 404) return undefined
    assert.strictEqual(status, 200, `${run}: ${text}`)
    return JSON.parse(text) as Output
  },
  /** The runs of its session, and what they have cost, all together. */
  session: async (base: string, run: string): Promise<Session> => {
    const type = /\w+(?=s\/)/.exec(path)?.[0]
    const [runs, { total_tokens }] = await Promise.all(
      ["/runs", ""].map((part) => ServiceClient.read(`${base}/sessions/${run}${part}?type=${type}`))
    ) as [Session["runs"], { readonly total_tokens?: number }]
    return { runs, tokens: total_tokens }
  },
  /** Approves the pending approvals of a run; the answer can be lost. */
  approve: async (base: string, run: string): Promise<void> => {
    const { data } = await ServiceClient.read(`${base}/approvals?status=pending&run_id=${run}`) as {
      readonly data: ReadonlyArray<{ readonly id: string }>
    }
    for (const { id } of data) {
      const headers = { "content-type": "application/json" }
      const init = { method: "POST", headers, body: JSON.stringify({ status: "approved" }) }
      await ServiceClient.whileRefused(() =>
        ServiceClient.send(`${base}/approvals/${encodeURIComponent(id)}/resolve`, { init })
      )
    }
  },
  /** Says what it waits for. It has come to a stop when this returns. */
  continueRun: (base: string, run: string, fields: Readonly<Record<string, string>>): Promise<ServiceClient.Received> =>
    ServiceClient.send(`${base}${path}/runs/${run}/continue`, {
      init: { method: "POST", body: new URLSearchParams({ session_id: run, stream: "false", ...fields }) }
    })
})

export const attempt = <A>(run: () => Promise<A>): Effect.Effect<A> => Effect.promise(run)
