// Executes a function of an author that makes durable calls. A repeated function makes the same calls in the same
// order. A call that has ended gives what the journal has, in the order in which the calls ended, and other calls
// continue. The function is left where it is when all of its open calls wait for a person, a time or an event.
// @effect-diagnostics newPromise:off -- a promise of an interrupted fiber stays open, which no Effect API gives
import * as Fnv1a from "@svc-runtime/domain/Fnv1a"
import * as Json from "@svc-runtime/domain/Json"
import {
  Cause,
  Clock,
  Data,
  Deferred,
  Duration,
  Effect,
  Exit,
  Fiber,
  Option,
  Predicate,
  Result,
  Schema,
  Semaphore
} from "effect"
import { checkOutput } from "../limits/ByteLimits.ts"
import type { ExecutionLease } from "../node/ExecutionLease.ts"
import { authoredFor, type Shape } from "../schema/AnySchema.ts"
import * as Form from "../tool/Form.ts"
import { OutcomeLost } from "../tool/OutcomeLost.ts"
import * as UserCode from "../userCode/UserCode.ts"
import * as Validate from "../userCode/Validate.ts"
import * as Durable from "./Durable.ts"
import * as DurableJournal from "./DurableJournal.ts"

/** A call that cannot end yet. */
export class Waits<W> extends Data.TaggedError("DurableCallWaits")<{ readonly wait: W }> {}

/** What a function gives instead of a result when its calls wait. */
export class Suspension<W> extends Data.Class<{ readonly waits: ReadonlyArray<W> }> {}

/** What a person is asked. */
export interface PersonQuestion {
  readonly message: string
  /** Of an object. */
  readonly schema: Json.Object
}

export interface Awaited {
  /** Left out: it waits for a time only. */
  readonly event?: string | undefined
  readonly message: string
  /** Of what is sent. */
  readonly schema?: Json.Object | undefined
  /** Epoch milliseconds. Left out: it waits forever. */
  readonly until?: number | undefined
}

type Performed<A, W> = Effect.Effect<A, Durable.CallFailed | Waits<W>>

/** The run around the function. `key` names a call: it is the same when the function is repeated. */
export interface Host<W> {
  /** For messages, such as `Tool 'book'`. */
  readonly owner: string
  readonly effectId: string
  readonly journal: DurableJournal.DurableJournal
  readonly underLease: ExecutionLease["act"]
  /** Called before the function is executed. */
  readonly begin?: () => void
  /** Ends the runs that the function has started. Called before it is interrupted. */
  readonly cancel?: (reason: string) => void
  readonly run: (
    key: string,
    component: Durable.Component,
    input: Json.Value,
    options: Durable.RunOptions
  ) => Performed<Durable.RunAnswer, W>
  readonly generate: (key: string, question: Durable.Question<Durable.Schema | undefined>) => Performed<Json.Value, W>
  /** The values of a person. They are asked for again in each round. */
  readonly ask: (key: string, round: number, question: PersonQuestion) => Performed<Json.Object, W>
  /** None: the time is over. */
  readonly wait: (key: string, round: number, awaited: Awaited) => Performed<Option.Option<Json.Value>, W>
}

/** More than a function needs. Each call is kept in the journal. */
const maxCalls = 1000

const failed = (kind: string, message: string) => new Durable.CallFailed({ kind, message })

const failure = (kind: string, message: string) => Effect.fail(failed(kind, message))

const isJson = Schema.is(Json.InputValue)

const kept = (what: string, value: unknown): Effect.Effect<Json.Value, Durable.CallFailed> =>
  Effect.suspend(() => {
    if (!isJson(value)) {
      return failure(
        "TypeError",
        `${what} is no JSON and cannot be kept: only texts, numbers, booleans, null, and lists and objects of these are`
      )
    }
    return Effect.mapBoth(checkOutput(what, JSON.stringify(value)), {
      onFailure: ({ _tag, message }) => failed(_tag, message),
      onSuccess: () => value
    })
  })

const kindOf = (cause: unknown): string => {
  if (Predicate.hasProperty(cause, "_tag") && Predicate.isString(cause._tag)) return cause._tag
  return Predicate.isError(cause) ? cause.name : "Error"
}

// The form of a question. What is no object has one field.

interface Questioned {
  readonly schema: Json.Object
  readonly decode: (values: Json.Object) => Effect.Effect<unknown, { readonly message: string }>
}

const textForm: Questioned = {
  schema: Form.ofSingle({ type: "string" }),
  decode: (values) => Effect.succeed(values[Form.single])
}

const questioned = (shape: Shape<unknown> | undefined): Questioned => {
  if (shape === undefined) return textForm
  const schema = shape.jsonSchema as Json.Object
  return schema["type"] === "object" && Json.isObject(schema["properties"])
    ? { schema, decode: shape.decode }
    : {
      schema: Form.ofSingle(schema),
      decode: (values) => shape.decode(values[Form.single])
    }
}

const problemOf = (decoded: Effect.Effect<unknown, { readonly message: string }>): Effect.Effect<string | undefined> =>
  Effect.match(decoded, { onFailure: ({ message }) => message, onSuccess: () => undefined })

const againWith = (message: string, problem: string | undefined) =>
  problem === undefined ? message : `${message} (The last answer did not fit: ${problem})`

type Lost = OutcomeLost

type Perform<W, E> = (
  begun: DurableJournal.Begun,
  isKnown: boolean
) => Effect.Effect<Json.Value | undefined, Durable.CallFailed | E | Waits<W>>

interface Execution<W> {
  readonly host: Host<W>
  readonly stopped: Deferred.Deferred<Suspension<W>, UserCode.UserError>
  /**
   * Called when the function makes the call, so that the order of the calls is known. `isKnown`: it had begun before
   * the function was repeated.
   */
  readonly begin: <E extends Lost = never>(
    what: string,
    given: unknown,
    perform: Perform<W, E>
  ) => Effect.Effect<Json.Value | undefined, Durable.CallFailed | E>
  /** The function has ended with a result: why it is not the one that was repeated. */
  readonly divergence: () => UserCode.UserError | undefined
  /** What is written when the function has thrown. Undefined: it has made no calls. */
  readonly failure: () => DurableJournal.Entry | undefined
  readonly close: () => void
}

const diverged = (what: string): UserCode.UserError =>
  new UserCode.UserError({
    cause: failed(
      "Diverged",
      `${what}. Between its durable calls a function must do the same each time that it is repeated: put what can ` +
        "change (times, random numbers, requests) into step(). If the code has changed, start a new run, or bring the " +
        "former code back until this run has ended"
    )
  })

/** After a call the function continues for some turns of the event loop before it makes the next one. */
const turns = (count: number) => Effect.repeat(Effect.yieldNow, { times: count })

const open = <W>(
  host: Host<W>,
  { begun, ended, failures }: DurableJournal.Played,
  fork: (effect: Effect.Effect<void>) => void
): Execution<W> => {
  const { journal, owner } = host
  const stopped = Deferred.makeUnsafe<Suspension<W>, UserCode.UserError>()
  const waiting = new Map<number, W>()
  const failedCalls = new Set<number>()
  /** The known ends, in their order. Later ends come after all of them. */
  const undelivered = [...ended.keys()]
  const arrived = new Map<number, Deferred.Deferred<void>>()
  const allDelivered = Deferred.makeUnsafe<void>()
  const writing = Semaphore.makeUnsafe(1)
  let count = 0
  let inFlight = 0
  let moves = 0
  let isOver = false
  let isDelivering = false

  const leaveWhenIdle = (seen: number) =>
    Effect.andThen(
      turns(5),
      Effect.sync(() => {
        if (isOver || moves !== seen) return
        const waits = [...waiting].toSorted(([one], [other]) => one - other).map(([, wait]) => wait)
        Deferred.doneUnsafe(stopped, Exit.succeed(new Suspension({ waits })))
      })
    )

  const move = (flying: number): void => {
    moves++
    inFlight += flying
    if (inFlight === 0 && waiting.size > 0) fork(leaveWhenIdle(moves))
  }

  const deliver = (): void => {
    const [next] = undelivered
    if (next === undefined) Deferred.doneUnsafe(allDelivered, Exit.void)
    const turn = next === undefined || isDelivering ? undefined : arrived.get(next)
    if (turn === undefined) return
    undelivered.shift()
    isDelivering = true
    Deferred.doneUnsafe(turn, Exit.void)
    fork(Effect.andThen(
      turns(2),
      Effect.sync(() => {
        isDelivering = false
        deliver()
      })
    ))
  }
  deliver()

  const known = ({ call, failure: problem, value }: DurableJournal.Ended) =>
    Effect.suspend(() => {
      const turn = Deferred.makeUnsafe<void>()
      arrived.set(call, turn)
      deliver()
      return Effect.flatMap(Deferred.await(turn), () => {
        move(-1)
        if (problem === undefined) return Effect.succeed(value)
        failedCalls.add(call)
        return failure(problem.kind, problem.message)
      })
    })

  const end = (entry: DurableJournal.Ended) =>
    Effect.andThen(
      Deferred.await(allDelivered),
      writing.withPermits(1)(journal.record(DurableJournal.encode(entry)))
    )

  const made = Effect.fnUntraced(function*<E extends Lost>(
    call: number,
    { input, what }: Pick<DurableJournal.Begun, "input" | "what">,
    perform: Perform<W, E>
  ): Effect.fn.Return<Json.Value | undefined, Durable.CallFailed | E> {
    const before = begun.get(call)
    const key = failures === 0 ? `$${call}` : `$${call}.${failures}`
    const entry = before ?? { kind: "begun" as const, call, key, what, input, at: yield* Clock.currentTimeMillis }
    if (before === undefined) yield* journal.record(DurableJournal.encode(entry))
    const performed = yield* Effect.result(Effect.catchDefect(
      perform(entry, before !== undefined),
      (defect) => failure(kindOf(defect), UserCode.messageOf(new UserCode.UserError({ cause: defect }), "It failed"))
    ))
    if (performed._tag === "Success") {
      const { success: value } = performed
      yield* end({ kind: "ended", call, ...(value === undefined ? {} : { value }) })
      move(-1)
      return value
    }
    const { failure: problem } = performed
    if (problem instanceof Waits) {
      waiting.set(call, problem.wait)
      move(-1)
      return yield* Effect.never
    }
    failedCalls.add(call)
    if (problem instanceof Durable.CallFailed) {
      const { kind, message } = problem
      yield* end({ kind: "ended", call, failure: { kind, message } })
    }
    move(-1)
    return yield* Effect.fail(problem)
  })

  return {
    host,
    stopped,
    begin: (what, given, perform) => {
      if (isOver) return failure("Late", `${owner}: ${what} was called after the function had ended: await it`)
      const call = count++
      if (call >= maxCalls) return failure("TooMany", `${owner} makes more than ${maxCalls} durable calls`)
      const input = Fnv1a.of(JSON.stringify(given) ?? "")
      const before = begun.get(call)
      if (before !== undefined && (before.what !== what || before.input !== input)) {
        const now = before.what === what ? "has another input now" : `is ${what} now`
        const problem = diverged(`Call ${call + 1} of ${owner} was ${before.what} before, and ${now}`)
        Deferred.doneUnsafe(stopped, Exit.fail(problem))
        return Effect.never
      }
      move(1)
      const end = ended.get(call)
      return end === undefined ? made(call, { what, input }, perform) : known(end)
    },
    divergence: () =>
      [...begun.keys()].some((call) => call >= count)
        ? diverged(`${owner} made ${begun.size} durable calls before, and has made ${count} now`)
        : undefined,
    failure: () => count === 0 ? undefined : { kind: "failed", from: Math.min(count, ...failedCalls) },
    close: () => {
      isOver = true
    }
  }
}

/** What the journal has is what the call gave. */
const as = <A>() => <E>(made: Effect.Effect<unknown, E>): Effect.Effect<A, E> => Effect.map(made, (value) => value as A)

/** The calls of a function, each with its place in the order when it is made. */
const callsOf = <W>({ begin, host }: Pick<Execution<W>, "begin" | "host">) => {
  const { owner } = host

  const run = (component: Durable.Component, input: Json.Value, options: Durable.RunOptions = {}) => {
    const made = begin<never>(
      `run(${component.id})`,
      input,
      ({ key }) => Effect.map(host.run(key, component, input, options), ({ content, runId }) => ({ content, runId }))
    )
    return as<Durable.RunAnswer>()(made)
  }

  const generate = <const S extends Durable.Schema | undefined>(question: Durable.Question<S>) => {
    const { schema } = question
    const shape = schema === undefined ? undefined : authoredFor(`${owner}: the schema of generate()`, schema)
    const { instructions, messages, prompt } = question
    const made = begin<never>(
      "generate()",
      [prompt, messages, instructions, shape?.jsonSchema],
      ({ key }) => host.generate(key, question as Durable.Question<Durable.Schema | undefined>)
    )
    const decoded = shape === undefined ?
      made :
      Effect.flatMap(
        made,
        (value) =>
          Effect.mapError(
            shape.decode(value),
            ({ message }) => failed("UnfitAnswer", `The answer of the model does not fit the schema: ${message}`)
          )
      )
    return as<Durable.Answer<S>>()(decoded)
  }

  const pause = <const S extends Durable.Schema | undefined>({ question, schema }: Durable.PauseOptions<S>) => {
    const form = questioned(
      schema === undefined ? undefined : authoredFor(`${owner}: the schema of pause()`, schema)
    )
    const made = begin<never>("pause()", [question, form.schema], ({ key }) =>
      Effect.gen(function*() {
        let problem: string | undefined = undefined
        for (let round = 0;; round++) {
          const message = againWith(question, problem)
          const values: Json.Object = yield* host.ask(key, round, { message, schema: form.schema })
          problem = yield* problemOf(form.decode(values))
          if (problem === undefined) return values
        }
      }))
    const decoded = Effect.flatMap(
      made,
      (values) =>
        Effect.mapError(
          form.decode(values as Json.Object),
          ({ message }) => failed("Mismatch", `The answer does not fit the schema: ${message}`)
        )
    )
    return as<Durable.Answer<S>>()(decoded)
  }

  const step = <A>(
    name: string,
    f: (context: Durable.StepContext) => UserCode.Returned<A>,
    { effects = "once" }: Durable.StepOptions = {}
  ) => {
    const made = begin<OutcomeLost>(`step(${name})`, null, ({ key }, isKnown) => {
      if (isKnown && effects === "once") {
        return Effect.fail(
          new OutcomeLost({
            message: `The service stopped while ${owner} did step '${name}': it is not known whether that was done`
          })
        )
      }
      const effectId = `${host.effectId}.${key}`
      return host.underLease(effects, UserCode.call((signal) => f({ effectId, signal }))).pipe(
        Effect.mapError((thrown) => failed(kindOf(thrown.cause), UserCode.messageOf(thrown, `Step '${name}' failed`))),
        Effect.flatMap((value) => value === undefined ? Effect.undefined : kept(`The result of step '${name}'`, value))
      )
    })
    return as<A>()(made)
  }

  const sleep = (given: Duration.Input) => {
    const length = Validate.duration(owner, "sleep()", given)
    const made = begin<never>(
      `sleep(${Duration.format(length)})`,
      null,
      ({ at, key }) =>
        Effect.as(host.wait(key, 0, { message: "Sleeps", until: at + Duration.toMillis(length) }), undefined)
    )
    return Effect.asVoid(made)
  }

  const waitFor = <const S extends Durable.Schema | undefined>(
    event: string,
    { schema, timeout }: Durable.WaitOptions<S> = {}
  ) => {
    const shape = schema === undefined ? undefined : authoredFor(`${owner}: the schema of waitFor()`, schema)
    const length = timeout === undefined ? undefined : Validate.duration(owner, "timeout of waitFor()", timeout)
    const decode = shape === undefined ? (value: Json.Value) => Effect.succeed<unknown>(value) : shape.decode
    const made = begin<never>(`waitFor(${event})`, null, ({ at, key }) =>
      Effect.gen(function*() {
        let problem: string | undefined = undefined
        for (let round = 0;; round++) {
          const sent: Option.Option<Json.Value> = yield* host.wait(key, round, {
            event,
            message: againWith(`Waits for '${event}'`, problem),
            schema: shape?.jsonSchema as Json.Object | undefined,
            until: length === undefined ? undefined : at + Duration.toMillis(length)
          })
          if (Option.isNone(sent)) return undefined
          problem = yield* problemOf(decode(sent.value))
          if (problem === undefined) return sent.value
        }
      }))
    const unfit = ({ message }: { readonly message: string }) =>
      failed("Mismatch", `What was sent does not fit the schema: ${message}`)
    const decoded = Effect.flatMap(
      made,
      (value) => value === undefined ? Effect.undefined : Effect.mapError(decode(value), unfit)
    )
    return as<Durable.Sent<S> | undefined>()(decoded)
  }

  return { run, generate, pause, step, sleep, waitFor }
}

type Promising = <A, E>(call: () => Effect.Effect<A, E>) => Promise<A>

const durableOf = <W>(calls: ReturnType<typeof callsOf<W>>, promise: Promising): Durable.Durable => ({
  run: (...given) => promise(() => calls.run(...given)),
  generate: (question) => promise(() => calls.generate(question)),
  pause: (options) => promise(() => calls.pause(options)),
  step: (...given) => promise(() => calls.step(...given)),
  sleep: (duration) => promise(() => calls.sleep(duration)),
  waitFor: (...given) => promise(() => calls.waitFor(...given)),
  asEffect: {
    run: (...given) => Effect.suspend(() => calls.run(...given)),
    generate: (question) => Effect.suspend(() => calls.generate(question)),
    pause: (options) => Effect.suspend(() => calls.pause(options)),
    step: (...given) => Effect.suspend(() => calls.step(...given)),
    sleep: (duration) => Effect.suspend(() => calls.sleep(duration)),
    waitFor: (...given) => Effect.suspend(() => calls.waitFor(...given))
  }
})

/** A call without an await must not end the process: its failure is in the journal. */
const handled = <A>(promise: Promise<A>): Promise<A> => {
  promise.catch(() => undefined)
  return promise
}

/** A promise of what a fiber gives. It stays open if the fiber is interrupted: the function is left where it is. */
const promiseOf = <A, E>(fiber: Fiber.Fiber<A, E>): Promise<A> =>
  new Promise((resolve, reject) => {
    fiber.addObserver((exit) => {
      if (Exit.isSuccess(exit)) resolve(exit.value)
      else if (!Cause.hasInterruptsOnly(exit.cause)) reject(Cause.squash(exit.cause))
    })
  })

/** The call is made at once, so that its place among the calls is known. A mistake in its arguments is a rejection. */
const promising = (fork: <A, E>(effect: Effect.Effect<A, E>) => Fiber.Fiber<A, E>): Promising => (call) => {
  const made = Result.try(call)
  return handled(Result.isSuccess(made) ? promiseOf(fork(made.success)) : Promise.reject(made.failure))
}

const absent = failure("Unavailable", "Durable calls can be made by tools and functions of steps, in a run only")

const nowhere: Host<never> = {
  owner: "A durable call",
  effectId: "",
  journal: { entries: () => [], record: () => Effect.void },
  underLease: (_, effect) => effect,
  run: () => absent,
  generate: () => absent,
  ask: () => absent,
  wait: () => absent
}

const unavailable = durableOf(callsOf({ begin: () => absent, host: nowhere }), promising(Effect.runFork))

/** The result of the function, or what it waits for. Without a host, its durable calls fail. */
export const execute = <A, W = never>(
  host: Host<W> | undefined,
  f: (durable: Durable.Durable) => Effect.Effect<A, UserCode.UserError>
): Effect.Effect<A | Suspension<W>, UserCode.UserError> => host === undefined ? f(unavailable) : executeIn(host, f)

const executeIn = Effect.fnUntraced(function*<A, W>(
  host: Host<W>,
  f: (durable: Durable.Durable) => Effect.Effect<A, UserCode.UserError>
): Effect.fn.Return<A | Suspension<W>, UserCode.UserError> {
  host.begin?.()
  const services = yield* Effect.context<never>()
  const played = DurableJournal.play(yield* DurableJournal.decode(host.journal.entries()))
  const fibers = new Set<Fiber.Fiber<unknown, unknown>>()
  const fork = <B, E>(effect: Effect.Effect<B, E>) => {
    const fiber = Effect.runForkWith(services)(effect)
    fibers.add(fiber)
    fiber.addObserver(() => fibers.delete(fiber))
    return fiber
  }
  const execution = open(host, played, fork)
  const running: Effect.Effect<A, UserCode.UserError> = Effect.matchEffect(
    f(durableOf(callsOf(execution), promising(fork))),
    {
      onFailure: (thrown) => {
        const entry = execution.failure()
        return entry === undefined
          ? Effect.fail(thrown)
          : Effect.andThen(host.journal.record(DurableJournal.encode(entry)), Effect.fail(thrown))
      },
      onSuccess: (value) => {
        const divergence = execution.divergence()
        return divergence === undefined ? Effect.succeed(value) : Effect.fail(divergence)
      }
    }
  )
  return yield* Effect.raceFirst(running, Deferred.await(execution.stopped)).pipe(
    Effect.ensuring(Effect.suspend(() => {
      execution.close()
      return Fiber.interruptAll([...fibers])
    }))
  )
})
