// The whole service in memory for tests that use promises. Its time stands still until the test moves it.
import * as ComponentMethods from "@svc-runtime/agents/component/ComponentMethods"
import { type Factory, isFactory } from "@svc-runtime/agents/factory/Factory"
import type { ModelRef } from "@svc-runtime/agents/Models"
import { kindOf } from "@svc-runtime/agents/nested/InnerCommand"
import type { AnyWorkflow } from "@svc-runtime/agents/workflow/define/Node"
import { type Component, type RunInput, Svc, SvcError } from "@svc-runtime/client"
import * as Misspelling from "@svc-runtime/domain/Misspelling"
import * as StartLimits from "@svc-runtime/engine/run/StartLimits"
import * as ForeignNames from "@svc-runtime/engine/userCode/ForeignNames"
import { described, isComponent, mismatch, Mistake } from "@svc-runtime/engine/userCode/Mistake"
import type * as AuthorOptions from "@svc-runtime/engine/userCode/Options"
import * as Validate from "@svc-runtime/engine/userCode/Validate"
import type { Declarable } from "@svc-runtime/features/declarations/DeclaredOption"
import * as KnowledgeOfComponents from "@svc-runtime/features/knowledge/KnowledgeOfComponents"
import * as McpOptions from "@svc-runtime/http/mcpTool/McpOptions"
import type { Agent, Application, Team } from "@svc-runtime/server"
import { checkOptions } from "@svc-runtime/server/application/ApplicationOptions"
import { Clock, DateTime, Duration, Effect, Exit, Option, Predicate, Record, Scope } from "effect"
import { FetchHttpClient } from "effect/http"
import { HeldClock } from "./HeldClock.ts"
import { areFaked, fakedTimers } from "./internal/fakedTimers.ts"
import * as Replaced from "./internal/withModels.ts"
import { scriptedModel, type ScriptTurn, type TestModel } from "./Script.ts"
import * as TestRun from "./TestRun.ts"
import * as TestServer from "./TestServer.ts"

/** What the options of a service lack. */
const further: AuthorOptions.Kinds<"mcp" | Exclude<keyof TestServiceOptions, keyof Application.Options>> = {
  listen: "flag",
  mcp: { options: McpOptions.kinds },
  model: "any",
  models: "object",
  startAt: "any",
  token: "text"
}

export interface TestServiceOptions extends Omit<Application.Options, "mcp"> {
  /** The MCP server: its tools, and who may use it. It has no OAuth, which needs a public address. */
  readonly mcp?: McpOptions.McpOptions | undefined
  /**
   * The model of agents without one, such as a scripted one. A list is its turns: `scriptedModel(list)`. Default:
   * `fixed`.
   */
  readonly model?: ModelRef | ReadonlyArray<ScriptTurn> | undefined
  /**
   * The models of agents and teams, by their ids, instead of their own, also of agents that only functions of tools
   * and steps run. `generate`: the model of `generate()`. A list is the turns of a scripted one.
   */
  readonly models?: Readonly<Record<string, ModelRef | ReadonlyArray<ScriptTurn>>> | undefined
  /** The time at its start. Default: 2026-01-01T00:00:00Z. */
  readonly startAt?: DateTime.DateTime.Input | undefined
  /** True: it also listens on a free port of this machine, at `url`. Default: false. */
  readonly listen?: boolean | undefined
  /** The bearer token of `client` and of runs. Default: none. */
  readonly token?: string | undefined
}

type Runnable = Agent.Agent | AnyWorkflow | Team.Team

type KindOf<C extends Runnable> = C extends Agent.Agent ? "agent" : C extends Team.Team ? "team" : "workflow"

export interface TestService extends AsyncDisposable {
  /** Starts a run of a component, and waits for its end or its pause. */
  readonly run: <C extends Runnable>(component: C, input: string | RunInput) => Promise<TestRun.TestRun<KindOf<C>>>
  /** Starts a run of a component when the stream is read, and returns its events. */
  readonly stream: <C extends Runnable>(
    component: C,
    input: string | RunInput
  ) => ReturnType<Component<KindOf<C>>["stream"]>
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
  /**
   * Moves the time until the promise is settled, or until the function returns true, at most for an hour of the service
   * or for what is given.
   */
  readonly until: {
    (condition: () => boolean | Promise<boolean>, timeout?: Duration.Input): Promise<void>
    <A>(promise: Promise<A>, timeout?: Duration.Input): Promise<A>
  }
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

const late = (what: string, limit: Duration.Duration) =>
  Effect.die(new Error(`${what} within ${Duration.format(limit)} of the test's time`))

const untilSettled = Effect.fnUntraced(function*<A>(clock: HeldClock, promise: Promise<A>, limit: Duration.Duration) {
  if (!(yield* pass(clock, promise, limit))) return yield* late("The promise was not settled", limit)
  return yield* Effect.promise(() => promise)
})

/** Milliseconds. */
const longestStep = 20

/** Moves the time as fast as it really passes, until the promise is settled: files and documents are read meanwhile. */
const inRealTime = Effect.fnUntraced(function*<A>(clock: HeldClock, promise: Promise<A>) {
  const state = { isSettled: false }
  const settled = () => void (state.isSettled = true)
  promise.then(settled, settled)
  while (!state.isSettled) {
    yield* clock.settle
    const step = Math.min(longestStep, clock.next - clock.now)
    yield* Effect.sleep(step)
    yield* clock.wakeUntil(clock.now + step)
  }
  return yield* Effect.promise(() => promise)
})

const untilTrue = Effect.fnUntraced(
  function*(clock: HeldClock, condition: () => boolean | Promise<boolean>, limit: Duration.Duration) {
    const end = clock.now + Duration.toMillis(limit)
    yield* clock.settle
    while (!(yield* Effect.promise(() => Promise.resolve().then(condition)))) {
      if (clock.next > end) return yield* late("The condition was not met", limit)
      yield* clock.wakeUntil(clock.next)
    }
  }
)

const until = (clock: HeldClock) =>
// oxlint-disable-next-line typescript/no-explicit-any -- the signatures of `until` have the type
(awaited: Promise<unknown> | (() => boolean | Promise<boolean>), timeout: Duration.Input = "1 hour"): Promise<any> => {
  const limit = Validate.duration("until()", "timeout", timeout)
  if (typeof awaited !== "function" && !Predicate.isPromiseLike(awaited)) {
    throw mismatch("What until() waits for", "a promise or a function", awaited)
  }
  return Effect.runPromise(
    typeof awaited === "function" ? untilTrue(clock, awaited, limit) : untilSettled(clock, awaited, limit)
  )
}

/** What waits at its end waits by its time, and then for processes, which take real time to end. */
const closed = (clock: HeldClock, scope: Scope.Closeable): Promise<void> => {
  const closing = Effect.runPromise(Scope.close(scope, Exit.void))
  return Effect.runPromise(Effect.andThen(pass(clock, closing, Duration.hours(1)), Effect.promise(() => closing)))
}

const sending = (answer: TestServer.TestServer["fetch"]) => (input: RequestInfo | URL, init?: RequestInit) =>
  Effect.runPromise(answer(String(input).slice(TestServer.origin.length), init))

/** Receivers of webhooks, remote agents and pages of a test are on its machine. */
const machine = ["127.0.0.0/8", "::1", "localhost"]

interface Scripted extends Omit<TestServiceOptions, "model" | "models"> {
  readonly model?: ModelRef | undefined
  readonly models?: Readonly<Record<string, ModelRef>> | undefined
}

const isTurns = (given: ModelRef | ReadonlyArray<ScriptTurn> | undefined): given is ReadonlyArray<ScriptTurn> =>
  Array.isArray(given)

const scripted = <M extends ModelRef | undefined>(given: M | ReadonlyArray<ScriptTurn>): M | TestModel =>
  isTurns(given) ? scriptedModel(given) : given

/** Lists of turns as models. */
const withScripts = (options: TestServiceOptions): Scripted => {
  checkOptions(options, { name: "testService", further })
  const { model, models, ...others } = options
  return {
    ...others,
    ...(model === undefined ? {} : { model: scripted(model) }),
    ...(models === undefined ? {} : { models: Record.map(models, (each) => scripted(each)) })
  }
}

/** The components with their models. */
const modelled = ({ models = {}, ...options }: Scripted): Scripted => {
  const names = Object.keys(models)
  if (names.length === 0) return options
  const replaced = Replaced.make(new Map(Object.entries(models)))
  const [agents, teams, workflows] = [
    replaced.changeAll(options.agents),
    replaced.changeAll(options.teams),
    replaced.changeAll(options.workflows)
  ]
  const known = new Set([...replaced.ids, Replaced.generateId])
  // a function can run an agent that only it knows
  const unknown = names.find((name) =>
    !known.has(name) && !(replaced.hasFunctions() && Misspelling.meant(name, known) === undefined)
  )
  if (unknown === undefined) return { ...options, agents, teams, workflows }
  const listed = [...replaced.ids].map((id) => `'${id}'`).join(", ")
  throw new Error(`models names '${unknown}', and no agent or team has this id. There are: ${listed || "none"}.`)
}

const checkModel = (name: string, model: unknown): void => {
  if (Predicate.hasProperty(model, "languageModel") || Predicate.hasProperty(model, "modelId")) return
  if (typeof model === "string" && /\s/.test(model)) {
    throw new Mistake(
      `testService: ${name} is a text with spaces, and no name of a model. Write [ … ] around it, if it is what the ` +
        "model answers"
    )
  }
  if (typeof model === "string") return void Validate.model("testService", name, model)
  throw new Error(
    `testService: ${name} is no model. Give it a scripted one, a model of the AI SDK, or a name such as 'fixed'.`
  )
}

/** What the compiler says to authors who use it. */
const check = (options: Scripted): void => {
  checkModel("model", options.model ?? "fixed")
  for (const [id, model] of Object.entries(options.models ?? {})) checkModel(`models.${id}`, model)
}

/** A test has no environment that they could come from. */
const secretOf = (name: string) => `whsec_${Buffer.from(name.padEnd(32, ".")).subarray(0, 64).toString("base64")}`
const tokenOf = (name: string) => `svc_pat_${Buffer.from(name.padEnd(16, ".")).toString("hex").slice(0, 247)}`

/** What the application declares, with the secrets that are missing. Models of a test have no prices. */
const completed = ({ budgets, serviceAccounts, webhooks, ...others }: Declarable): Declarable => ({
  ...others,
  budgets: budgets?.map((each) => ({ ...each, unpriced: each.unpriced ?? "zero" })),
  serviceAccounts: serviceAccounts?.map((each) => ({ ...each, token: each.token ?? tokenOf(each.name) })),
  webhooks: webhooks?.map((each) => ({ ...each, secret: each.secret ?? secretOf(each.name) }))
})

const serverOptions = (given: TestServiceOptions, clock: HeldClock): TestServer.Options => {
  const options = withScripts(given)
  check(options)
  const { databaseId, databases, evaluations, limits = {}, mcp, ...all } = modelled(options)
  const { budgets, channels, datasets, prompts, schedules, serviceAccounts, webhooks, ...others } = all
  const { availableModels = [], description, displayNames = {}, id = "svc", ...named } = others
  const { manifest = {}, name = "Svc", quickPrompts = {}, ...rest } = named
  return {
    ...rest,
    settings: {
      availableModels,
      description,
      displayNames,
      id,
      manifest,
      mcp: { enabled: true, options: mcp },
      name,
      quickPrompts
    },
    declared: completed({ budgets, channels, datasets, prompts, schedules, serviceAccounts, webhooks }),
    // no setting says what they cost
    budgetSettings: { rates: new Map(budgets?.map(({ currency = "USD" }) => [currency, 1])) },
    databases: databaseId === undefined ? undefined : [databaseId],
    handles: databases,
    judge: evaluations?.judge,
    startLimits: StartLimits.merged({}, limits),
    awaitsFolders: true,
    fetch: { allow: machine, around: clock.outside },
    aroundReader: clock.outside,
    // a process of tests ends when its services have ended
    hasOwnReader: true
  }
}

/** Its files are processed by jobs, which need the time of the service. */
const hasFolder = ({ agents = [], knowledge = [], teams = [], workflows = [] }: TestServiceOptions): boolean =>
  KnowledgeOfComponents.of({ agents, knowledge, teams, workflows }).some(({ folder }) => folder !== undefined)

const start = Effect.fnUntraced(function*(options: TestServiceOptions, clock: HeldClock) {
  const scope = yield* Scope.make()
  const within = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>) =>
    effect.pipe(Scope.provide(scope), Effect.provideService(Clock.Clock, clock))
  const all = serverOptions(options, clock)
  const runPromise = Effect.runPromiseWith(yield* Effect.context<never>())
  const started = <A, E>(effect: Effect.Effect<A, E>) =>
    hasFolder(options) ? inRealTime(clock, runPromise(effect)) : effect
  if (options.listen === true) {
    const { logs, url } = yield* started(within(TestServer.listen(all)))
    return { scope, logs, url, send: yield* FetchHttpClient.Fetch }
  }
  const { fetch: answer, logs } = yield* within(TestServer.make(all))
  // it is built by its first request
  yield* started(within(answer("/health")))
  return { scope, logs, url: TestServer.origin, send: sending(answer) }
})

const checkRunnable = (component: unknown): void => {
  if (Predicate.isObject(component) && isComponent(component)) return
  const runnable = component as Runnable | Factory<Runnable>
  const factory = Predicate.isObject(component) && isFactory(runnable) ? runnable : undefined
  const [kind, id] = factory === undefined ? ["agent", component] : [factory.kind, factory.id]
  const todo = Predicate.isString(id) ? `. Write service.${kind}(${JSON.stringify(id)}).run(…)` : ""
  const given = factory === undefined ? described(component) : "a factory"
  throw new Mistake(`run() takes an agent, a team or a workflow, and was given ${given}${todo}`)
}

/** Other libraries take options of a run there. */
const checkRest = (rest: ReadonlyArray<unknown>): void => {
  const [first] = rest
  if (first === undefined) return
  const fields = Predicate.isObject(first) ? Object.keys(first).map((name) => `${name}: …`).join(", ") : "…"
  throw new Mistake(
    `run() takes a component and its input, and was given ${described(first)} too. Write the fields of a run beside ` +
      `its message: { message: …, ${fields} }`
  )
}

/** A component that the service does not have was not given to it. */
const explained = (kind: string) => (error: unknown): never => {
  if (!(error instanceof SvcError) || error.status !== 404 || !error.message.includes(" not found: ")) throw error
  throw new Mistake(
    `${error.message} Add it to the ${kind}s of testService, or to what its steps and tools run`,
    { cause: error }
  )
}

const host: ComponentMethods.Host = {
  problem: "a testService is open, and a run outside of it does not have the models of the test",
  client: "service.client",
  place: "in the test",
  call: (kind, id, method, variable) =>
    method === "run" || method === "stream"
      ? `service.${method}(${variable}, …)`
      : `service.client.${kind}(${JSON.stringify(id)}).${method}(…)`
}

/** Effect takes an empty object and true for times, too. */
const startOf = (startAt: unknown = "2026-01-01T00:00:00Z"): Option.Option<DateTime.DateTime> =>
  Predicate.isString(startAt) || Predicate.isNumber(startAt) || startAt instanceof Date ||
    DateTime.isDateTime(startAt) || (Predicate.isObject(startAt) && Object.keys(startAt).length > 0)
    ? DateTime.make(startAt)
    : Option.none()

const make = (options: TestServiceOptions): Promise<TestService> => {
  if (areFaked()) return Promise.reject(new Mistake(fakedTimers))
  const startAt = startOf(options?.startAt)
  if (Option.isNone(startAt)) {
    return Promise.reject(
      mismatch("testService: startAt", "a time, such as \"2026-01-01T00:00:00Z\"", options.startAt)
    )
  }
  const clock = new HeldClock(startAt.value.epochMilliseconds)
  const leave = ComponentMethods.hostedBy({ ...host })
  return Effect.runPromise(start(options, clock)).then(({ logs, scope, send, url }): TestService => {
    const closing = new AbortController()
    const request: typeof fetch = (input, init) =>
      closing.signal.aborted ? Promise.reject(closing.signal.reason) : send(input, init)
    const client = new Svc({ baseUrl: url, token: options.token, retries: 0, fetch: request })
    const end = () => {
      closing.abort(new Error("The service of the test is closed"))
      return closed(clock, scope).finally(leave)
    }
    let ended: Promise<void> | undefined
    const close = () => ended ??= end()
    const componentOf = <C extends Runnable>(component: C): Component<KindOf<C>> =>
      client[kindOf(component)](component.id) as never
    const observing = { logs, signal: closing.signal }
    return ForeignNames.refuseMethods({
      run: (component, input, ...rest: ReadonlyArray<unknown>) => {
        checkRunnable(component)
        checkRest(rest)
        const run = TestRun.make(componentOf(component), observing).run(input).catch(explained(kindOf(component)))
        // a test may leave it, as `TestRun` says
        run.catch(() => {})
        return TestRun.refused(run)
      },
      stream: (component, input) => componentOf(component).stream(input, { signal: closing.signal }) as never,
      agent: (id) => TestRun.make(client.agent(id), observing),
      team: (id) => TestRun.make(client.team(id), observing),
      workflow: (id) => TestRun.make(client.workflow(id), observing),
      client,
      fetch: (path, init) => {
        if (typeof path !== "string" || !path.startsWith("/")) {
          throw mismatch("What fetch() sends a request to", "a path, such as \"/agents\"", path)
        }
        return request(`${url}${path}`, init)
      },
      url,
      now: () => DateTime.toDate(DateTime.makeUnsafe(clock.now)),
      advance: (duration) => Effect.runPromise(clock.advance(duration)),
      until: until(clock),
      logs,
      close,
      [Symbol.asyncDispose]: close
    }, () => "The service of a test")
  }).catch((error: unknown) => {
    leave()
    throw error
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
