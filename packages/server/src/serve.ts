// Starts a service with one call, without Layers. It runs until a signal, logs the reason in one line if it cannot
// start, and ends at once on a second signal. With WORKERS it starts several processes of the same program.
// @effect-diagnostics processEnv:off -- whether this process serves is decided before any Effect runs
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { CurrentProcess, type Worker } from "@svc-runtime/domain/Worker"
import { Mistake } from "@svc-runtime/engine/userCode/Mistake"
import * as Logging from "@svc-runtime/http/logging/Logging"
import * as Rest from "@svc-runtime/http/process/Rest"
import { codeOf, textOf, textOfMistake } from "@svc-runtime/http/process/startFailure"
import { collectGarbage } from "@svc-runtime/postgres/pglite/collectGarbage"
import { Cause, type Context, Effect, Exit, Layer, Redacted } from "effect"
import { setFlagsFromString } from "node:v8"
import * as Application from "./Application.ts"
import * as ForgottenErrors from "./ForgottenErrors.ts"
import { notMade } from "./local/notMade.ts"
import { workerMark } from "./workers/Message.ts"

/**
 * The first signal closes everything in order. This logs it and listens for the second signal. A worker gets signals
 * of the terminal beside those of the process that started it, which decides whether the second one ends it.
 */
const onSignals = (isWorker: boolean) =>
  Effect.contextWith((context: Context.Context<never>) => {
    const stopping = Effect.logInfo("Stopping: running requests may finish. A second signal ends the process at once.")
    let signals = 0
    const count = () => {
      signals++
      if (isWorker) return
      if (signals > 1) process.exit(130)
      Effect.runSyncWith(context)(stopping)
    }
    process.on("SIGINT", count)
    process.on("SIGTERM", count)
    return Effect.void
  })

const say = <E>(cause: Cause.Cause<E>) =>
  Cause.hasInterruptsOnly(cause)
    ? Effect.void
    : Effect.annotateLogs(Effect.logFatal(`The service stops: ${textOf(cause)}`), { error_code: codeOf(cause) })

/**
 * What an author has written wrong is thrown where a component is made, mostly before `serve` is called. Uncaught, it
 * would end the process with a stack of the service.
 */
process.on("uncaughtExceptionMonitor", (error) => {
  const mistake = error instanceof Mistake ? error : notMade(error)
  if (mistake === undefined || process.listenerCount("uncaughtException") > 0) return
  const line = Effect.annotateLogs(Effect.logFatal(textOfMistake(mistake)), { error_code: mistake.name })
  Effect.runSync(Effect.provide(line, Logging.early))
  process.exit(1)
})

/**
 * What is made at the start stays, so V8 would create the same kinds of objects of requests as old ones. The objects of
 * a request that such an object references, and those of the next requests, then stay until a full collection.
 */
const keepRequestsYoung = () => setFlagsFromString("--no-allocation-site-pretenuring")

const launch = <E>(application: Layer.Layer<never, E>, worker?: Worker): void => {
  Effect.andThen(Effect.andThen(onSignals(worker !== undefined), ForgottenErrors.logged), Layer.launch(application))
    .pipe(
      Effect.tapCause(say),
      Effect.provide(Logging.early),
      Effect.provideService(CurrentProcess, { worker, end: Effect.sync(() => process.exit(1)) }),
      NodeRuntime.runMain({
        disableErrorReporting: true,
        // Stopping on a signal is not a failure.
        teardown: (exit, onExit) => onExit(Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause) ? 0 : 1)
      })
    )
}

/** What the first process says to a worker. Processes that the worker starts do not get it. */
const takeWorker = (): Omit<Worker, "peers"> | undefined => {
  const text = process.env[workerMark]
  delete process.env[workerMark]
  if (text === undefined) return undefined
  const [number, count, serving, internalToken = ""] = text.split("/")
  return {
    number: Number(number),
    count: Number(count),
    joins: Number(serving) > 0,
    internalToken: Redacted.make(internalToken)
  }
}

/** Whether WORKERS is anything but one process. */
const wantsWorkers = (): boolean => !["", "1"].includes((process.env["WORKERS"] ?? "").trim())

/** Launches an application and gives it the process, or several processes (WORKERS). */
export const run = <E>(application: Layer.Layer<never, E>): void => {
  keepRequestsYoung()
  Rest.start(collectGarbage)
  // if the reader closes (a terminal, a log collector), later output is lost, and the service keeps running
  for (const output of [process.stdout, process.stderr]) output.on("error", () => {})
  const worker = takeWorker()
  if (worker !== undefined) {
    void import("./workers/worker.ts").then(({ joined }) => {
      const { peers, started } = joined()
      launch(Layer.provide(started, application), { ...worker, peers })
    })
  } else if (wantsWorkers()) {
    void import("./workers/primary.ts").then((primary) => primary.launch(() => launch(application)))
  } else launch(application)
}

const help = `Serves agents over HTTP until SIGINT or SIGTERM. It takes no arguments: its settings are variables of the
environment, of which npm start also reads those in .env.

  HOST, PORT       where it listens: 127.0.0.1 and 7777
  WORKERS          how many processes serve, with DATABASE_URL: 1; auto is one per core
  MODEL            the default model, provider:model
  DATABASE_URL     a PostgreSQL, in place of the embedded database in DATA_DIR
  OS_SECURITY_KEY  a key that callers must send

All settings: docs/reference/settings.md
`

/** A program is one service: two would listen on one port. */
const state = { isServing: false }

/**
 * Starts a service and gives it the process. It reads its settings from the environment (docs/operate/running.md)
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
  if (process.argv.slice(2).includes("--help")) return void process.stdout.write(help)
  if (state.isServing) {
    throw new Mistake(
      "serve was called before in this program. Give all components to one call: serve({ agents: [ … ] })"
    )
  }
  const application = Application.make(options)
  state.isServing = true
  run(application)
}
