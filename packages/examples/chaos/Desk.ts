// What tests of services that are killed have in common: the desk of the fixtures, how it is asked, and what is seen of
// it.
import { ServiceProcess } from "@svc-runtime/test-support"
import * as ServiceClient from "@svc-runtime/test-support/ServiceClient"
import { Effect } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

export interface Json {
  readonly [key: string]: any // oxlint-disable-line typescript/no-explicit-any -- raw answers are read as they are
}

const file = fileURLToPath(new URL("./fixtures/desk.ts", import.meta.url))

/** Starts it over a directory of its own, as often as it is called. */
export const make = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "svc-desk-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  ),
  (path) => (more: Readonly<Record<string, string>> = {}) =>
    ServiceProcess.start(file, { DATA_DIR: join(path, "data"), PORT: "0", MODEL: "fixed", ...more })
)

type Service = ServiceProcess.ServiceProcess

export const post = (service: Service, path: string, fields: Readonly<Record<string, string>>) =>
  Effect.promise(() =>
    ServiceClient.once(service.url + path, {
      method: "POST",
      body: new URLSearchParams({ stream: "false", ...fields })
    }) as Promise<Json>
  )

export const begin = (service: Service, path: string) => Effect.promise(() => ServiceClient.begin(service.url + path))

export const get = (service: Service, path: string) =>
  Effect.promise(() => ServiceClient.read(service.url + path) as Promise<Json>)

/** Up to the run's end, or its pause. */
export const eventsOf = (service: Service, run: string, session: string) =>
  Effect.map(
    Effect.promise(() => ServiceClient.request(`${service.url}${run}/events?session_id=${session}`)),
    ({ text }) => text
  )

export const framesOf = (text: string): ReadonlyArray<Json> =>
  text.split("\n").flatMap((line) => line.startsWith("data: ") ? [JSON.parse(line.slice("data: ".length))] : [])

export const doneIn = (service: Service) =>
  service.stdout().split("\n").flatMap((line) => line.startsWith("doing ") ? [line.slice("doing ".length)] : [])

export const nameOf = ({ agent_id, event, team_id, workflow_id }: Json) =>
  `${agent_id ?? team_id ?? workflow_id} ${event}`
