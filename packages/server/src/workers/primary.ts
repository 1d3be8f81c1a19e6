// The first process of a service with several workers (WORKERS). It has no database and executes nothing: it starts the
// workers, starts them again when they end, passes their questions on, and ends with them. Node shares the port: this
// process accepts the connections, and gives them to the workers in turn.
//
// The first worker starts alone, so that a setting that prevents the start is logged once, and ends the service.
// @effect-diagnostics processEnv:off globalTimers:off newPromise:off asyncFunction:off -- few lines use Effect
import * as EnvironmentSettings from "@svc-runtime/http/config/EnvironmentSettings"
import * as Logging from "@svc-runtime/http/logging/Logging"
import * as Shutdown from "@svc-runtime/http/requests/Shutdown"
import { Config as Env, ConfigProvider, Duration, Effect, Predicate } from "effect"
import cluster, { type Worker } from "node:cluster"
import { randomBytes } from "node:crypto"
import { workerSettings } from "../Config.ts"
import { isMessage, type Message, workerMark } from "./Message.ts"

interface Running {
  readonly worker: Worker
  /** When it began to serve, in milliseconds. */
  startedAt: number | undefined
}

/** A worker that has served for so long has not ended because of its start. */
const healthyMillis = 60_000

const maxDelayMillis = 30_000

/** None before the first restart, then 1, 2, 4 … seconds. */
const delayAfter = (failures: number): number =>
  failures === 0 ? 0 : Math.min(maxDelayMillis, 1000 * 2 ** (failures - 1))

/** Beyond the time in which a worker ends itself. */
const graceMillis = 5000

interface End {
  readonly number: number
  /** How often it had ended before, without having served for long. */
  readonly failures: number
  readonly code: number
  readonly signal: NodeJS.Signals | null
}

interface Options {
  readonly count: number
  /** How long the workers may take to stop. */
  readonly stopMillis: number
  /** Default: those of this process. */
  readonly signals?: NodeJS.EventEmitter | undefined
  /** Starts a worker. */
  readonly fork?: ((environment: NodeJS.ProcessEnv) => Worker) | undefined
}

/** A message of Node that gives a connection to a worker, or by which the worker says that it has taken it. */
interface Handing {
  readonly seq?: number
  readonly ack?: number
}

/**
 * Closes the connections that were given to a worker, and that it has not taken when it ends. Node forgets them, so
 * their clients would wait for ever.
 */
const closeUntaken = (worker: Worker): void => {
  const { process: child } = worker
  const untaken = new Map<unknown, () => void>()
  const send = child.send
  child.send = (message: Handing, ...rest: ReadonlyArray<unknown>): boolean => {
    const [handle] = rest
    if (Predicate.hasProperty(handle, "close")) {
      untaken.set(message.seq, () => Reflect.apply(handle.close as () => void, handle, []))
    }
    return Reflect.apply(send, child, [message, ...rest])
  }
  child.on("internalMessage", ({ ack }: Handing) => untaken.delete(ack))
  worker.once("exit", () => {
    for (const close of untaken.values()) close()
  })
}

// @effect-diagnostics-next-line strictEffectProvide:off because each line is a program of its own
const log = (line: Effect.Effect<void>) => Effect.runSync(Effect.provide(line, Logging.early))

/** Returns the exit code when all workers have ended: after a signal, or if none of them could start. */
export const supervise = (
  { count, fork = (environment) => cluster.fork(environment), signals = process, stopMillis }: Options
): Promise<number> =>
  new Promise((resolve) => {
    const running = new Map<number, Running>()
    const waiting = new Set<NodeJS.Timeout>()
    let hasServed = false
    let isStopping = false
    let code = 0
    const internalToken = randomBytes(32).toString("hex")

    const others = (number: number) =>
      [...running].filter(([other, { startedAt }]) => other !== number && startedAt !== undefined)

    const send = (number: number, message: Message) => {
      const worker = running.get(number)?.worker
      // a worker that is about to end gets nothing any more
      if (worker?.isConnected() === true) worker.send(message, undefined, () => {})
    }

    const start = (number: number, failures: number) => {
      const worker = fork({ [workerMark]: [number, count, others(number).length, internalToken].join("/") })
      running.set(number, { worker, startedAt: undefined })
      closeUntaken(worker)
      worker.on("message", (message: unknown) => {
        if (isMessage(message)) receive(number, message)
      })
      worker.on("error", (error) => {
        // a process that could not be created has no id, and no exit follows
        const isCreated = worker.process.pid !== undefined
        log(Effect.logError(`Worker ${number} cannot be ${isCreated ? "reached" : "created"}: ${error.message}`))
        if (!isCreated) ended({ number, failures, code: 1, signal: null })
      })
      worker.once("exit", (exitCode: number | null, signal: NodeJS.Signals | null) => {
        ended({ number, failures, code: exitCode ?? 1, signal })
      })
    }

    const receive = (number: number, message: Message) => {
      switch (message.svc) {
        case "started": {
          const own = running.get(number)
          if (own === undefined || isStopping) return
          own.startedAt = performance.now()
          log(Effect.logInfo(`Worker ${number} serves. It is the process ${own.worker.process.pid}`))
          if (hasServed) return
          hasServed = true
          for (let next = 2; next <= count; next++) start(next, 0)
          return
        }
        case "ask": {
          const peers = others(number)
          send(number, { svc: "asked", id: message.id, count: peers.length })
          for (const [other] of peers) send(other, { ...message, from: number })
          return
        }
        case "answer":
          return send(message.to, { ...message, from: number })
      }
    }

    const ended = ({ code: exitCode, failures, number, signal }: End) => {
      const startedAt = running.get(number)?.startedAt
      running.delete(number)
      if (isStopping) {
        // one that had not begun to serve ends by the signal
        code = Math.max(code, signal === "SIGTERM" ? 0 : exitCode)
        if (running.size === 0) resolve(code)
        return
      }
      const how = signal === null ? `code ${exitCode}` : `signal ${signal}`
      if (startedAt === undefined && others(number).length === 0) {
        // a worker that ends by itself has logged the reason
        if (signal !== null) log(Effect.logFatal(`The service stops: a worker ended with ${how} before it served`))
        code = exitCode === 0 ? 1 : exitCode
        return stop()
      }
      const isHealthy = startedAt !== undefined && performance.now() - startedAt > healthyMillis
      const delay = delayAfter(isHealthy ? 0 : failures)
      const when = delay === 0 ? "at once" : `in ${delay / 1000} s`
      log(Effect.logError(`Worker ${number} has ended with ${how}. It is started again ${when}`))
      const timer = setTimeout(() => {
        waiting.delete(timer)
        start(number, isHealthy ? 1 : failures + 1)
      }, delay)
      waiting.add(timer)
    }

    const kill = (signal: NodeJS.Signals) => {
      for (const { worker } of running.values()) worker.process.kill(signal)
    }

    const stop = () => {
      isStopping = true
      for (const timer of waiting) clearTimeout(timer)
      if (running.size === 0) return resolve(code)
      kill("SIGTERM")
      setTimeout(() => {
        log(Effect.logError("A worker did not stop in time and is killed. The next start resumes its runs"))
        code = 1
        kill("SIGKILL")
      }, stopMillis).unref()
    }

    const onSignal = () => {
      if (!isStopping) {
        log(Effect.logInfo("Stopping: running requests may finish. A second signal ends all processes at once."))
        return stop()
      }
      kill("SIGKILL")
      process.exit(130)
    }
    signals.on("SIGINT", onSignal)
    signals.on("SIGTERM", onSignal)
    start(1, 0)
  })

const settings = Effect.flatMap(
  ConfigProvider.ConfigProvider,
  (provider) => EnvironmentSettings.orInvalid(Env.all(workerSettings), provider)
)

/** Serves with several processes, and ends with them. `serveAlone` serves in this process if it is the only one. */
export const launch = (serveAlone: () => void): void => {
  const invalid = ({ message }: Error) => {
    log(Effect.logFatal(`The service stops: ${message}`))
    process.exit(1)
  }
  Effect.runPromise(settings).then(async (settings) => {
    if (settings.workers === 1) return serveAlone()
    const stopMillis = Duration.toMillis(Shutdown.limitOf(settings)) + graceMillis
    process.exit(await supervise({ count: settings.workers, stopMillis }))
  }, invalid)
}
