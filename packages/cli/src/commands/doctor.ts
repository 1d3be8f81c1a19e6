// `svc doctor`: checks what a service needs, and says what is wrong and what to do.
import { Effect, Result } from "effect"
import { Command } from "effect/cli"
import * as AdminTarget from "../admin/AdminTarget.ts"
import type { Aborted, CommandFailed } from "../CliError.ts"
import { present } from "../CommandResult.ts"
import { type Check, notOk, ok } from "../doctor/Check.ts"
import * as MachineChecks from "../doctor/MachineChecks.ts"
import * as ServiceChecks from "../doctor/ServiceChecks.ts"
import * as ServiceClient from "../service/ServiceClient.ts"
import { address, credentials, Variables } from "../terminal/HelpPage.ts"
import { Output } from "../terminal/Output.ts"

const problem = (name: string, state: "failed" | "warning", failure: Aborted | CommandFailed): Check =>
  notOk(name, state, failure.message, failure._tag === "CommandFailed" ? failure.hint : undefined)

const serviceChecks = Effect.fnUntraced(function*(given: AdminTarget.Given) {
  const found = yield* Effect.result(AdminTarget.find(given))
  if (Result.isFailure(found)) {
    return { name: null, checks: [problem("Service", "failed", found.failure)] }
  }
  const service = found.success
  const checks = [ok("Service", service.url), yield* ServiceChecks.ready(service.url), ServiceChecks.version(service)]
  const client = yield* Effect.result(ServiceClient.of(service, given))
  if (Result.isFailure(client)) {
    checks.push(problem("Credential", "warning", client.failure))
  } else checks.push(yield* ServiceChecks.database(client.success), yield* ServiceChecks.models(client.success))
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
