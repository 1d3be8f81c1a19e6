// The whole service in memory for tests that use promises. Its time stands still until the test moves it.
import { Svc } from "@svc-runtime/client"
import * as StartLimits from "@svc-runtime/engine/run/StartLimits"
import { Clock, DateTime, Duration, Effect, Exit, Scope } from "effect"
import { FetchHttpClient } from "effect/http"
import { HeldClock } from "./HeldClock.ts"
import * as TestRun from "./TestRun.ts"
import * as TestServer from "./TestServer.ts"

export interface TestServiceOptions extends
  Pick<
    TestServer.Options,
    | "agents"
    | "authorization"
    | "embedder"
    | "jobs"
    | "knowledge"
    | "middleware"
    | "model"
    | "registry"
    | "routes"
    | "teams"
    | "without"
    | "workflows"
  >
{
  /** Limits of the runs of each user, of each component, and of the service. Default: none. */
  readonly limits?: StartLimits.Options | undefined
  /** The time at its start. Default: 2026-01-01T00:00:00Z. */
  readonly startAt?: DateTime.DateTime.Input | undefined
  /** True: it also listens on a free port of this machine, at `url`. Default: false. */
  readonly listen?: boolean | undefined
  /** The bearer token of `client` and of runs. Default: none. */
  readonly token?: string | undefined
}

export interface TestService extends AsyncDisposable {
  readonly agent: (id: string) => TestRun.TestComponent<"agent">
  readonly team: (id: string) => TestRun.TestComponent<"team">
  readonly workflow: (id: string) => TestRun.TestComponent<"workflow">
  /** Everything else that the service offers. */
  readonly client: Svc
  /** Sends a request to a path of the service. */
  readonly fetch: (path: string, init?: RequestInit) => Promise<Response>
  /** Its address. Without `listen` only `client` and `fetch` reach it. */
  readonly url: string
  readonly now: () => Date
  /** Moves the time. What was to happen until then happens, in its order, and has happened when this resolves. */
  readonly advance: (duration: Duration.Input) => Promise<void>
  /** Moves the time until the promise is settled, at most for an hour of the service or for what is given. */
  readonly until: <A>(promise: Promise<A>, timeout?: Duration.Input) => Promise<A>
  /** What it has logged so far. */
  readonly logs: ReadonlyArray<TestServer.LogLine>
  readonly close: () => Promise<void>
}

/** Moves the time until the promise is settled, or for the limit. Whether it is settled. */
const pass = Effect.fnUntraced(function*<A>(clock: HeldClock, promise: Promise<A>, limit: Duration.Duration) {
  const state = { isSettled: false }
  const settled = () => void (state.isSettled = true)
  promise.then(settled, settled)
  const end = clock.now + Duration.toMillis(limit)
  yield* clock.settle
  while (!state.isSettled && clock.next <= end) yield* clock.wakeUntil(clock.next)
  return state.isSettled
})

const until = Effect.fnUntraced(function*<A>(clock: HeldClock, promise: Promise<A>, timeout: Duration.Input) {
  const limit = Duration.fromInputUnsafe(timeout)
  if (!(yield* pass(clock, promise, limit))) {
    return yield* Effect.die(
      new Error(`The promise was not settled within ${Duration.format(limit)} of the test's time`)
    )
  }
  return yield* Effect.promise(() => promise)
})

/** What waits at its end waits by its time, and then for processes, which take real time to end. */
const closed = (clock: HeldClock, scope: Scope.Closeable): Promise<void> => {
  const closing = Effect.runPromise(Scope.close(scope, Exit.void))
  return Effect.runPromise(Effect.andThen(pass(clock, closing, Duration.hours(1)), Effect.promise(() => closing)))
}

const sending = (answer: TestServer.TestServer["fetch"]) => (input: RequestInfo | URL, init?: RequestInit) =>
  Effect.runPromise(answer(String(input).slice(TestServer.origin.length), init))

const start = Effect.fnUntraced(function*({ limits = {}, ...options }: TestServiceOptions, clock: HeldClock) {
  const scope = yield* Scope.make()
  const within = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>) =>
    effect.pipe(Scope.provide(scope), Effect.provideService(Clock.Clock, clock))
  // a process of tests ends when its services have ended
  const all = { ...options, startLimits: StartLimits.merged({}, limits), hasOwnReader: true }
  if (options.listen === true) {
    const { logs, url } = yield* within(TestServer.listen(all))
    return { scope, logs, url, send: yield* FetchHttpClient.Fetch }
  }
  const { fetch: answer, logs } = yield* within(TestServer.make(all))
  // it is built by its first request
  yield* within(answer("/health"))
  return { scope, logs, url: TestServer.origin, send: sending(answer) }
})

const make = (options: TestServiceOptions): Promise<TestService> => {
  const clock = new HeldClock(DateTime.makeUnsafe(options.startAt ?? "2026-01-01T00:00:00Z").epochMilliseconds)
  return Effect.runPromise(start(options, clock)).then(({ logs, scope, send, url }): TestService => {
    const closing = new AbortController()
    const request: typeof fetch = (input, init) =>
      closing.signal.aborted ? Promise.reject(closing.signal.reason) : send(input, init)
    const client = new Svc({ baseUrl: url, token: options.token, retries: 0, fetch: request })
    const end = () => {
      closing.abort(new Error("The service of the test is closed"))
      return closed(clock, scope)
    }
    let ended: Promise<void> | undefined
    const close = () => ended ??= end()
    return {
      agent: (id) => TestRun.make(client.agent(id), { logs, signal: closing.signal }),
      team: (id) => TestRun.make(client.team(id), { logs, signal: closing.signal }),
      workflow: (id) => TestRun.make(client.workflow(id), { logs, signal: closing.signal }),
      client,
      fetch: (path, init) => request(`${url}${path}`, init),
      url,
      now: () => DateTime.toDate(DateTime.makeUnsafe(clock.now)),
      advance: (duration) => Effect.runPromise(clock.advance(duration)),
      until: (promise, timeout = "1 hour") => Effect.runPromise(until(clock, promise, timeout)),
      logs,
      close,
      [Symbol.asyncDispose]: close
    }
  })
}

/**
 * Starts a service in memory. It is the service that `serve` starts, without its database, its port and the
 * environment, and ends with `close`, or with the block of `await using`.
 *
 * ```ts
 * import { Agent } from "@svc-runtime/server"
 * import { assertCompleted, scriptedModel, testService } from "@svc-runtime/testing"
 *
 * const assistant = Agent.make({ id: "assistant", model: scriptedModel(["It is sunny."]) })
 * await using service = await testService({ agents: [assistant] })
 * const run = await service.agent("assistant").run("How is the weather?")
 * assertCompleted(run)
 * ```
 */
export const testService = (options: TestServiceOptions = {}): Promise<TestService> => make(options)
