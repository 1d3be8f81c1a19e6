// `svc doctor`: checks what a service needs, and says what is wrong and what to do.
import { Effect, Result } from "effect"
import { Command } from "effect/cli"
import { HttpClientRequest } from "effect/http"
import * as AdminTarget from "../admin/AdminTarget.ts"
import { detailOf } from "../calls/Calls.ts"
import { exchange } from "../calls/Exchange.ts"
import type { CommandFailed } from "../CliError.ts"
import { present } from "../CommandResult.ts"
import type * as Discovery from "../discovery/Discovery.ts"
import { type Check, notOk, ok } from "../doctor/Check.ts"
import * as MachineChecks from "../doctor/MachineChecks.ts"
import * as Groups from "../service/Groups.ts"
import * as ServiceClient from "../service/ServiceClient.ts"
import { address, credentials, Variables } from "../terminal/HelpPage.ts"
import { Output } from "../terminal/Output.ts"
import { version as ours } from "../version.ts"

// The checks of `svc doctor` about the service: it responds and is ready, its version, its database and its models.

const notReady = (reason: string): Check =>
  notOk("Ready", "failed", reason, "The log of the service has the reason: svc logs, or where it was started.")

const ready = Effect.fn("ServiceChecks.ready")(function*(url: string) {
  const reply = yield* exchange(HttpClientRequest.get(`${url}/ready`), "10 seconds")
  return reply.status === 200 ? ok("Ready", "accepts work") : notReady(detailOf(reply))
}, Effect.catchTag("Unreachable", ({ reason }) => Effect.succeed(notReady(reason))))

const version = ({ info_error: problem, url, version }: Discovery.Descriptor): Check => {
  if (problem !== undefined) return notOk("Version", "warning", `${url}/info could not be read: ${problem}`)
  if (version === null) return notOk("Version", "unknown", "the service does not say its version")
  return version === ours
    ? ok("Version", version)
    : notOk("Version", "warning", `service ${version}, svc ${ours}`, "Use the same version of both.")
}

/** A failure of the check is no failure of the service: the credential may not suffice. */
const unchecked = (name: string) => ({ message }: { readonly message: string }) =>
  Effect.succeed(notOk(name, "unknown", message))

const database = (service: ServiceClient.Service) =>
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

const models = (service: ServiceClient.Service) =>
  ServiceClient.call(service, "Reading the models", Groups.system, "models").pipe(
    Effect.map((found) =>
      found.length === 0
        ? notOk("Models", "warning", "no component has a model", "Add an agent with a model to the service.")
        : ok("Models", found.map(({ id, provider }) => `${provider}:${id}`).join(", "))
    ),
    Effect.catch(unchecked("Models"))
  )

const problem = (name: string, state: "failed" | "warning", { hint, message }: CommandFailed): Check =>
  notOk(name, state, message, hint)

/** A failure is a finding. Leaving a prompt ends the command. */
const found = <A, E, R>(effect: Effect.Effect<A, E | CommandFailed, R>) =>
  effect.pipe(
    Effect.map(Result.succeed),
    Effect.catchTag("CommandFailed", (failure) => Effect.succeed(Result.fail(failure)))
  )

const serviceChecks = Effect.fnUntraced(function*(given: AdminTarget.Given) {
  const target = yield* found(AdminTarget.find(given))
  if (Result.isFailure(target)) {
    return { name: null, checks: [problem("Service", "failed", target.failure)] }
  }
  const service = target.success
  const checks = [ok("Service", service.url), yield* ready(service.url), version(service)]
  const client = yield* found(ServiceClient.of(service, given))
  if (Result.isFailure(client)) {
    checks.push(problem("Credential", "warning", client.failure))
  } else checks.push(yield* database(client.success), yield* models(client.success))
  return { name: service.name, checks }
})

const marks: { readonly [S in Check["state"]]: string } = {
  ok: "ok",
  warning: "warning",
  failed: "FAILED",
  unknown: "-"
}

const show = Effect.fnUntraced(function*(checks: ReadonlyArray<Check>) {
  const output = yield* Output
  yield* output.table(
    [{ title: "Check" }, { title: "State" }, { title: "Found", wraps: true }],
    checks.map(({ detail, name, state }) => [name, marks[state], detail])
  )
  for (const { hint, name } of checks) {
    if (hint !== null) yield* output.warn(`${name}: ${hint}`)
  }
})

export const doctor = Command.make("doctor", AdminTarget.flags, ({ json, ...given }) =>
  present(
    json,
    Effect.gen(function*() {
      const output = yield* Output
      const { checks: ofService, name } = yield* serviceChecks(given)
      const checks = [
        MachineChecks.node(process.versions.node),
        yield* MachineChecks.settings,
        ...ofService,
        yield* MachineChecks.docker,
        yield* MachineChecks.clients(name)
      ]
      const isFailed = checks.some(({ state }) => state === "failed")
      return {
        document: { ok: !isFailed, checks: checks.map((check) => ({ ...check })) },
        human: Effect.provideService(show(checks), Output, output),
        ending: isFailed ? "failed" as const : "ok" as const
      }
    })
  )).pipe(
    Command.withDescription(
      "Check Node, the settings of the project here, the service with its database and models, docker, and the clients. " +
        "Each problem has a sentence that says what to do. A failed check ends the command with exit code 1."
    ),
    Command.annotate(Variables, [address, ...credentials]),
    Command.withShortDescription("Find out what is wrong, and what to do"),
    Command.withExamples([
      { command: "svc doctor" },
      { command: "svc doctor --json | jq -r '.checks[] | select(.state == \"failed\") | .hint'" }
    ])
  )
