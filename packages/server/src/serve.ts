// Starts a service with one call, without Layers. It runs until a signal, logs the reason in one line if it cannot
// start, and ends at once on a second signal.
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Logging from "@svc-runtime/http/logging/Logging"
import * as BrokenOutput from "@svc-runtime/http/process/BrokenOutput"
import * as Rest from "@svc-runtime/http/process/Rest"
import { textOf } from "@svc-runtime/http/process/startFailure"
import * as Shutdown from "@svc-runtime/http/requests/Shutdown"
import { collectGarbage } from "@svc-runtime/postgres/pglite/collectGarbage"
import { Cause, type Context, Effect, Exit, Layer } from "effect"
import { setFlagsFromString } from "node:v8"
import * as Application from "./Application.ts"

/** The first signal closes everything in order. This logs it and listens for the second signal. */
const onSignals = Effect.contextWith((context: Context.Context<never>) => {
  const stopping = Effect.logInfo("Stopping: running requests may finish. A second signal ends the process at once.")
  let signals = 0
  const count = () => {
    signals++
    if (signals > 1) process.exit(130)
    Effect.runSyncWith(context)(stopping)
  }
  process.on("SIGINT", count)
  process.on("SIGTERM", count)
  return Effect.void
})

const say = <E>(cause: Cause.Cause<E>) =>
  Cause.hasInterruptsOnly(cause) ? Effect.void : Effect.logFatal(`The service stops: ${textOf(cause)}`)

/**
 * What is made at the start stays, so V8 would create the same kinds of objects of requests as old ones. The objects of
 * a request that such an object references, and those of the next requests, then stay until a full collection.
 */
const keepRequestsYoung = () => setFlagsFromString("--no-allocation-site-pretenuring")

/** Launches an application and gives it the process. */
export const run = <E>(application: Layer.Layer<never, E>): void => {
  keepRequestsYoung()
  Rest.start(collectGarbage)
  BrokenOutput.ignoreErrors()
  Effect.andThen(onSignals, Layer.launch(application)).pipe(
    Effect.tapCause(say),
    Effect.provide(Logging.early),
    Effect.provideService(Shutdown.EndProcess, Effect.sync(() => process.exit(1))),
    NodeRuntime.runMain({
      disableErrorReporting: true,
      // Stopping on a signal is not a failure.
      teardown: (exit, onExit) => onExit(Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause) ? 0 : 1)
    })
  )
}

const help = `Serves agents over HTTP until SIGINT or SIGTERM. It takes no arguments: its settings are variables of the
environment, of which npm start also reads those in .env.

  HOST, PORT       where it listens: 127.0.0.1 and 7777
  MODEL            the default model, provider:model
  DATABASE_URL     a PostgreSQL, in place of the embedded database in DATA_DIR
  OS_SECURITY_KEY  a key that callers must send

All settings: docs/reference/settings.md
`

/**
 * Starts a service and gives it the process. It reads its settings from the environment (docs/operations/running.md)
 * and listens on `HOST` and `PORT`. It logs what prevents the start and ends with exit code 1: invalid settings, a
 * port that is in use, two components with one id, a database that cannot be used. SIGINT and SIGTERM stop it in
 * order. A program with the argument `--help` prints where the settings are described, and does not start it.
 *
 * ```ts
 * import { Agent, serve } from "@svc-runtime/server"
 *
 * serve({
 *   agents: [Agent.make({ id: "assistant", instructions: "Be brief." })],
 *   name: "Desk",
 *   quickPrompts: { assistant: ["What can you do?"] }
 * })
 * ```
 */
export const serve = (options: Application.Options): void => {
  if (process.argv.slice(2).includes("--help")) process.stdout.write(help)
  else run(Application.make(options))
}
