// Runs of one agent, team or workflow of the service. The endpoints of the three kinds differ in their names only.
import type * as Run from "@svc-runtime/domain/Run"
import * as RunStatus from "@svc-runtime/domain/RunStatus"
import type * as TeamRun from "@svc-runtime/domain/TeamRun"
import type * as WorkflowRun from "@svc-runtime/domain/WorkflowRun"
import { Effect, FileSystem, Path } from "effect"
import { randomBytes } from "node:crypto"
import * as Groups from "./Groups.ts"
import { RunEvents, type RunReference, type Source } from "./RunEvents.ts"
import * as ServiceClient from "./ServiceClient.ts"

export type Kind = "agent" | "team" | "workflow"

/** A run, as the service describes it. */
export type Output =
  | Run.Output
  | TeamRun.Output
  | WorkflowRun.Output

export interface Input {
  readonly message: string
  readonly session_id?: string | undefined
  readonly user_id?: string | undefined
  /** The run that it comes after, or `start`. */
  readonly previous_run_id?: string | undefined
  /** A JSON object as text. */
  readonly factory_input?: string | undefined
  /** Paths of files that exist. */
  readonly files?: ReadonlyArray<string> | undefined
}

/** Decisions about what a paused run waits for, or a message for another run. */
export interface Continuation {
  readonly input?: string | undefined
  readonly requirements?: ReadonlyArray<object> | undefined
  readonly step_requirements?: ReadonlyArray<object> | undefined
  readonly error_requirements?: ReadonlyArray<object> | undefined
}

const prefixes: Readonly<Record<Kind, string>> = { agent: "Run", team: "TeamRun", workflow: "Workflow" }

const endsOf = (kind: Kind): ReadonlyArray<string> =>
  ["Completed", "Error", "Cancelled", "Paused"].map((end) => `${prefixes[kind]}${end}`)

/** The endpoints of agents stand for those of all kinds: each kind has the same endpoints for runs. */
const groups = { agent: Groups.agents, team: Groups.teams, workflow: Groups.workflows }

/** The fields of the forms that start and continue runs. */
interface Form {
  readonly message: string
  readonly session_id: string
  readonly [option: string]: string | boolean
}

/** Lists are texts in a form, and so are objects. */
const formOf = (fields: object): Form =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, typeof value === "object" ? JSON.stringify(value) : value]]
    )
  ) as Form

/** Only files need a form; other requests are JSON. */
const withFiles = Effect.fnUntraced(
  function*(fields: Form, files: ReadonlyArray<string>) {
    if (files.length === 0) return fields
    const system = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const form = new FormData()
    for (const [name, value] of Object.entries(fields)) form.append(name, String(value))
    for (const file of files) {
      const bytes = yield* system.readFile(file)
      form.append("files", new Blob([new Uint8Array(bytes)]), path.basename(file))
    }
    return form
  },
  Effect.mapError((error) => new ServiceClient.Unexpected({ message: `Could not read a file: ${error.message}` }))
)

export const of = (service: ServiceClient.Service, { id, kind }: { readonly kind: Kind; readonly id: string }) => {
  const load = groups[kind] as typeof Groups.agents
  const component = { agent_id: id, [`${kind}_id`]: id }
  const paramsOf = ({ run_id }: RunReference) => ({ ...component, run_id })

  const get = (run: RunReference) =>
    Effect.map(
      ServiceClient.read(service, load, "getRun", { params: paramsOf(run), query: { session_id: run.session_id } }),
      (output): Output => output
    )

  const watching = (run: RunReference, after: number | undefined) =>
    ServiceClient.send(service, load, "listEvents", "text/event-stream", {
      params: paramsOf(run),
      query: { session_id: run.session_id },
      headers: { "last-event-id": after }
    })

  const hasEnded = (run: RunReference) => Effect.map(get(run), ({ status }) => !RunStatus.isActive(status))

  const events = (source: Pick<Source, "start" | "run" | "continues" | "after">) =>
    new RunEvents({ ...source, ends: endsOf(kind), watch: watching, hasEnded })

  const starting = ({ files = [], ...fields }: Input, mode: object) => withFiles(formOf({ ...fields, ...mode }), files)

  /** A repeated request has the same key, which makes it the same run. */
  const keyed = () => ({ "idempotency-key": randomBytes(16).toString("hex") })

  return {
    get,
    /** Starts a run in the background. */
    start: (input: Input) => {
      const headers = keyed()
      return Effect.map(
        Effect.flatMap(
          starting(input, { stream: false, background: true }),
          (payload) => ServiceClient.read(service, load, "createRun", { params: component, headers, payload })
        ),
        (accepted) => accepted as Run.Accepted
      )
    },
    /** The events of a run that starts when they are read. */
    stream: (input: Input) => {
      const headers = keyed()
      return events({
        start: Effect.flatMap(
          starting(input, { stream: true }),
          (payload) =>
            ServiceClient.send(service, load, "createRun", "text/event-stream", { params: component, headers, payload })
        )
      })
    },
    /** The events of a run that exists. */
    watch: (run: RunReference, after: number | undefined) =>
      events({ run: { run_id: run.run_id, session_id: run.session_id }, after }),
    /** The events that follow the continuation of a run. */
    continueStream: (run: RunReference, continuation: Continuation) => {
      const headers = keyed()
      const payload = formOf({ ...continuation, session_id: run.session_id, stream: true })
      return events({
        continues: { run_id: run.run_id, session_id: run.session_id },
        start: ServiceClient.send(service, load, "continueRun", "text/event-stream", {
          params: paramsOf(run),
          headers,
          payload
        })
      })
    },
    /** Requests the end of the run. */
    cancel: (run: RunReference) =>
      ServiceClient.read(service, load, "cancelRun", { params: paramsOf(run), query: { session_id: run.session_id } })
  }
}

export type Runs = ReturnType<typeof of>
