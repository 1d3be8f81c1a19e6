// `svc doctor`: checks what a service needs, and says what is wrong and what to do.
import { Effect, Result } from "effect"
import { Command } from "effect/cli"
import * as AdminTarget from "../admin/AdminTarget.ts"
import type { CommandFailed } from "../CliError.ts"
import { present } from "../CommandResult.ts"
import { type Check, notOk, ok } from "../doctor/Check.ts"
import * as MachineChecks from "../doctor/MachineChecks.ts"
import * as ServiceChecks from "../doctor/ServiceChecks.ts"
import * as ServiceClient from "../service/ServiceClient.ts"
import { address, credentials, Variables } from "../terminal/HelpPage.ts"
import { Output } from "../terminal/Output.ts"

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
  const checks = [ok("Service", service.url), yield* ServiceChecks.ready(service.url), ServiceChecks.version(service)]
  const client = yield* found(ServiceClient.of(service, given))
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
