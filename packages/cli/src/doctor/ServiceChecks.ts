// The checks of `svc doctor` about the service: it responds and is ready, its version, its database and its models.
import { Effect } from "effect"
import { HttpClientRequest } from "effect/http"
import { detailOf } from "../calls/Calls.ts"
import { exchange } from "../calls/Exchange.ts"
import type * as Discovery from "../discovery/Discovery.ts"
import * as Groups from "../service/Groups.ts"
import * as ServiceClient from "../service/ServiceClient.ts"
import { version as ours } from "../version.ts"
import { type Check, notOk, ok } from "./Check.ts"

const notReady = (reason: string): Check =>
  notOk("Ready", "failed", reason, "The log of the service has the reason: svc logs, or where it was started.")

export const ready = Effect.fn("ServiceChecks.ready")(function*(url: string) {
  const reply = yield* exchange(HttpClientRequest.get(`${url}/ready`), "10 seconds")
  return reply.status === 200 ? ok("Ready", "accepts work") : notReady(detailOf(reply))
}, Effect.catchTag("Unreachable", ({ reason }) => Effect.succeed(notReady(reason))))

export const version = ({ info_error: problem, url, version }: Discovery.Descriptor): Check => {
  if (problem !== undefined) return notOk("Version", "warning", `${url}/info could not be read: ${problem}`)
  if (version === null) return notOk("Version", "unknown", "the service does not say its version")
  return version === ours
    ? ok("Version", version)
    : notOk("Version", "warning", `service ${version}, svc ${ours}`, "Use the same version of both.")
}

/** A failure of the check is no failure of the service: the credential may not suffice. */
const unchecked = (name: string) => ({ message }: { readonly message: string }) =>
  Effect.succeed(notOk(name, "unknown", message))

export const database = (service: ServiceClient.Service) =>
  Effect.gen(function*() {
    const { databases } = yield* ServiceClient.call(
      service,
      "Reading the configuration",
      Groups.system,
      "config"
    )
    const states = yield* Effect.forEach(
      databases,
      (id) =>
        ServiceClient.call(service, `Reading the migrations of ${id}`, Groups.databases, "migrations", {
          params: { db_id: id }
        })
    )
    const behind = states.filter(({ pending }) => pending.length > 0)
    return behind.length === 0
      ? ok("Database", states.map(({ db_id, version }) => `${db_id} at version ${version ?? 0}`).join(", "))
      : notOk(
        "Database",
        "warning",
        behind.map(({ db_id, pending }) => `${db_id} lacks ${pending.length} migrations`).join(", "),
        "Restart the service, which applies them, or POST /databases/all/migrate."
      )
  }).pipe(Effect.catch(unchecked("Database")))

export const models = (service: ServiceClient.Service) =>
  ServiceClient.call(service, "Reading the models", Groups.system, "models").pipe(
    Effect.map((found) =>
      found.length === 0
        ? notOk("Models", "warning", "no component has a model", "Add an agent with a model to the service.")
        : ok("Models", found.map(({ id, provider }) => `${provider}:${id}`).join(", "))
    ),
    Effect.catch(unchecked("Models"))
  )
