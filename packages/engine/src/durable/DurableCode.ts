// Executes a function of an author that makes durable calls, and repeats it after a pause, a crash or a failure. The
// order of its calls is in `DurableReplay`. A call without an await fails the function, because what it does would be
// lost.
// @effect-diagnostics anyUnknownInErrorContext:off -- the code of a step may fail with anything
// @effect-diagnostics newPromise:off -- a promise of an interrupted fiber stays open, which no Effect API gives
import * as Json from "@svc-runtime/domain/Json"
import { Cause, Deferred, Duration, Effect, Equal, Exit, Fiber, Option, Predicate, Result } from "effect"
import { checkOutput } from "../limits/ByteLimits.ts"
import { authoredFor, type Shape } from "../schema/AnySchema.ts"
import * as Form from "../tool/Form.ts"
import { OutcomeLost } from "../tool/OutcomeLost.ts"
import { allEffects, mayRepeat } from "../userCode/Effects.ts"
import * as ForgottenAwait from "../userCode/ForgottenAwait.ts"
import * as JsonResult from "../userCode/JsonResult.ts"
import { mismatch, Mistake } from "../userCode/Mistake.ts"
import * as AuthorOptions from "../userCode/Options.ts"
import * as UserCode from "../userCode/UserCode.ts"
import * as Validate from "../userCode/Validate.ts"
import type * as Durable from "./Durable.ts"
import { failed, type Host, notRunnable, Suspension } from "./DurableHost.ts"
import * as DurableJournal from "./DurableJournal.ts"
import * as Replay from "./DurableReplay.ts"
import * as UnhandledErrors from "./UnhandledErrors.ts"
import * as WaitingCalls from "./WaitingCalls.ts"

const failure = (kind: string, message: string) => Effect.fail(failed(kind, message))

/** A copy, because the function can change its value later. The failure says why it cannot be kept. */
const kept = (value: unknown): Effect.Effect<Json.Value, string> =>
  Effect.gen(function*() {
    const text = JSON.stringify(yield* Effect.fromResult(JsonResult.of(value)))
    yield* Effect.mapError(checkOutput("it", text), ({ message }) => message)
    return JSON.parse(text) as Json.Value
  })

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

/** A `once` step. When its function has ended, Effects are interrupted, and other code gets the signal. */
const untilOver = <A>(
  over: AbortSignal,
  lost: OutcomeLost,
  context: Durable.StepContext,
  f: (context: Durable.StepContext) => UserCode.Returned<A>
): UserCode.Returned<A> => {
  const returned = f({ ...context, signal: AbortSignal.any([context.signal, over]) })
  if (!Effect.isEffect(returned)) return returned
  const aborted = Effect.callback<never, OutcomeLost>((resume) => {
    const abort = () => resume(Effect.fail(lost))
    if (over.aborted) return abort()
    over.addEventListener("abort", abort, { once: true })
    return Effect.sync(() => over.removeEventListener("abort", abort))
  })
  return Effect.raceFirst(returned as Effect.Effect<A, unknown>, aborted)
}

/** What the journal has is what the call gave. */
const as = <A>() => <E>(made: Effect.Effect<unknown, E>): Effect.Effect<A, E> => Effect.map(made, (value) => value as A)

/** The options of each call. */
const kinds = {
  run: { timeout: "any", streamEvents: "flag" } satisfies AuthorOptions.Kinds<keyof Durable.RunOptions>,
  generate: {
    prompt: "text",
    model: "any",
    instructions: "text",
    schema: "any",
    messages: "list"
  } satisfies AuthorOptions.Kinds<keyof Durable.Question<undefined>>,
  pause: { question: "text", schema: "any" } satisfies AuthorOptions.Kinds<keyof Durable.PauseOptions<undefined>>,
  step: { effects: { oneOf: allEffects } } satisfies AuthorOptions.Kinds<keyof Durable.StepOptions>,
  waitFor: { timeout: "any", schema: "any" } satisfies AuthorOptions.Kinds<keyof Durable.WaitOptions<undefined>>
}

/** The calls of a function, each with its place in the order when it is made. */
const callsOf = <W>(
  { begin, host, inStep, over }: Pick<Replay.Execution<W>, "begin" | "host" | "inStep" | "over">
) => {
  const { owner } = host
  const check = (call: keyof typeof kinds, options: object) =>
    AuthorOptions.check(`${owner}: ${call}()`, options, kinds[call])

  const run = (component: Durable.Component, input: Json.Value, options: Durable.RunOptions = {}) => {
    check("run", options)
    if (!Predicate.isObject(component)) throw notRunnable(owner, component)
    const json = JsonResult.of(input)
    if (Result.isFailure(json)) {
      throw new Mistake(
        `${owner}: the input of run() is no JSON: ${json.failure}. Give it texts, numbers, booleans, null, and lists ` +
          "and objects of these"
      )
    }
    const made = begin<never>(
      `run(${component.id})`,
      json.success,
      ({ at, key }) =>
        Effect.map(host.run(key, component, json.success, options, at), ({ content, runId }) => ({ content, runId })),
      "run"
    )
    return as<Durable.RunAnswer>()(made)
  }

  const generate = <const S extends Durable.Schema | undefined>(question: Durable.Question<S>) => {
    check("generate", question)
    const { schema } = question
    const shape = schema === undefined ? undefined : authoredFor(`${owner}: the schema of generate()`, schema)
    const { instructions, messages, prompt } = question
    const made = begin<never>(
      "generate()",
      [prompt, messages, instructions, shape?.jsonSchema],
      ({ key }) => host.generate(key, question as Durable.Question<Durable.Schema | undefined>),
      "run"
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

  const pause = <const S extends Durable.Schema | undefined>(options: Durable.PauseOptions<S>) => {
    check("pause", options)
    const { question, schema } = options
    if (question === undefined) {
      throw new Mistake(`${owner}: pause() has no question. Give it the text that the person reads`)
    }
    const form = questioned(
      schema === undefined ? undefined : authoredFor(`${owner}: the schema of pause()`, schema)
    )
    const made = begin<never>(WaitingCalls.pausing, [question, form.schema], ({ key }) =>
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
    options: Durable.StepOptions = {}
  ) => {
    if (!Predicate.isString(name)) throw mismatch(`${owner}: the name of step()`, "a text", name)
    if (!Predicate.isFunction(f)) throw mismatch(`${owner}: step(${name})`, "a function after its name", f)
    check("step", options)
    const { effects = "once" } = options
    const isOnce = !mayRepeat(effects)
    const type = isOnce ? "once" : "step"
    const lostBy = (why: string) =>
      new OutcomeLost({ message: `${why} ${owner} did step '${name}': it is not known whether that was done` })
    const made = begin<OutcomeLost>(
      `step(${name})`,
      null,
      ({ key }, isKnown) => {
        if (isKnown && isOnce) return Effect.fail(lostBy("The service stopped while"))
        const effectId = `${host.effectId}.${key}`
        const called = UserCode.call((signal) =>
          isOnce
            ? untilOver(over, lostBy("Its function ended while"), { effectId, signal }, f)
            : f({ effectId, signal })
        )
        return host.underLease(effects, inStep(name, called)).pipe(
          Effect.mapError(({ cause }) =>
            cause instanceof OutcomeLost
              ? cause
              : failed(
                Replay.kindOf(cause),
                UserCode.messageOf(new UserCode.UserError({ cause }), `Step '${name}' failed`)
              )
          ),
          Effect.flatMap((value) =>
            value === undefined
              ? Effect.undefined
              : Effect.mapError(kept(value), (why) => Replay.notKept(`step(${name})`, type, why))
          )
        )
      },
      type
    )
    return as<A>()(made)
  }

  const sleep = (given: Duration.Input) => {
    const length = Validate.storedDuration(owner, "sleep()", given)
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
    options: Durable.WaitOptions<S> = {}
  ) => {
    if (!Predicate.isString(event)) throw mismatch(`${owner}: the event of waitFor()`, "a text", event)
    if (event.trim() === "") throw new Mistake(`${owner}: the event of waitFor() has no name. Give it one`)
    check("waitFor", options)
    const { schema, timeout } = options
    const shape = schema === undefined ? undefined : authoredFor(`${owner}: the schema of waitFor()`, schema)
    const length = timeout === undefined ? undefined : Validate.storedDuration(owner, "timeout of waitFor()", timeout)
    const decode = shape === undefined ? (value: Json.Value) => Effect.succeed<unknown>(value) : shape.decode
    const made = begin<never>(`waitFor(${event})`, shape?.jsonSchema ?? null, ({ at, key }) =>
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

/** A promise that knows whether it is awaited. What is made from it is a promise like any other. */
class DurablePromise<A> extends Promise<A> {
  static override get [Symbol.species]() {
    return Promise
  }
  onAwait: () => void = () => {}
  override then<B = A, C = never>(
    onFulfilled?: ((value: A) => B | PromiseLike<B>) | null,
    onRejected?: ((reason: unknown) => C | PromiseLike<C>) | null
  ): Promise<B | C> {
    this.onAwait()
    return super.then(onFulfilled, onRejected)
  }
}

const what = "A durable call"
ForgottenAwait.unwritten(ForgottenAwait.refused(DurablePromise.prototype, ["runId"], what), what)

/**
 * The call is made at once, so that its place among the calls is known. A mistake in its arguments is a rejection. A
 * promise stays open if its fiber is interrupted: the function is left where it is.
 */
const promising = (
  fork: <A, E>(effect: Effect.Effect<A, E>) => Fiber.Fiber<A, E>,
  calls: Array<Replay.Made>,
  onUnhandled: (thrown: unknown) => void
): Promising =>
<A, E>(call: () => Effect.Effect<A, E>) => {
  const place = calls.length
  const started = Result.try(call)
  const made = calls[place] ?? { what: "", isAwaited: false, exit: undefined }
  calls[place] = made
  made.isAwaited = false
  const promise = new DurablePromise<A>((resolve, reject) => {
    const settle = (exit: Exit.Exit<A, unknown>) => {
      if (Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)) return
      made.exit = exit
      if (Exit.isSuccess(exit)) resolve(exit.value)
      else {
        const error = Cause.squash(exit.cause)
        UnhandledErrors.watch(error, onUnhandled)
        reject(error)
      }
    }
    if (Result.isSuccess(started)) fork(started.success).addObserver(settle)
    else settle(Exit.fail(started.failure))
  })
  // its failure must not end the process: a function that does not await it fails
  Promise.prototype.then.call(promise, undefined, () => undefined)
  promise.onAwait = () => {
    made.isAwaited = true
  }
  // its properties cannot be read, and it is equal to itself only
  return Equal.byReferenceUnsafe(promise)
}

const absent = failure(
  "Unavailable",
  "Durable calls can be made by tools and functions of steps, in a run only. In the place of one in a condition or " +
    "another function that decides, make a step before it"
)

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

const unavailable = durableOf(
  callsOf({ begin: () => absent, host: nowhere, inStep: (_, called) => called, over: new AbortController().signal }),
  promising(Effect.runFork, [], () => {})
)

/** The result of the function, or what it waits for. Without a host, its durable calls fail. */
export const execute = <A, W = never>(
  host: Host<W> | undefined,
  f: (durable: Durable.Durable) => Effect.Effect<A, UserCode.UserError>
): Effect.Effect<A | Suspension<W>, UserCode.UserError> => host === undefined ? f(unavailable) : executeIn(host, f)

const recorded = (journal: DurableJournal.DurableJournal) =>
  Effect.map(DurableJournal.decode(journal.entries()), DurableJournal.play)

/** What the function repeats. What was lost is made anew if a person has decided so, and that is recorded first. */
const repeated = Effect.fnUntraced(function*(journal: DurableJournal.DurableJournal) {
  const played = yield* recorded(journal)
  const decided = DurableJournal.decidedIn(played, journal)
  if (decided === undefined) return played
  yield* journal.record(DurableJournal.encode(decided))
  return yield* recorded(journal)
})

/** Why a function has failed, for a person who decides about a retry: what else it repeats. */
export const withRepeated = (journal: DurableJournal.DurableJournal, why: string): Effect.Effect<string> =>
  Effect.map(recorded(journal), (played) => {
    const repeated = DurableJournal.repeatedIn(played)
    return repeated === undefined ? why : `${why}. ${repeated}`
  })

/**
 * Of a function that has failed: whether it is unknown what one of its `once` steps has done. The journal decides this,
 * whatever the function has thrown. Such a step is done again only when a person wants it, and a run that was cancelled
 * with the function is made again by a retry.
 */
export const lost = Effect.fnUntraced(function*(
  journal: DurableJournal.DurableJournal,
  why: string,
  /** The calls with whose errors it has failed. */
  reasons: ReadonlyArray<number> = []
) {
  const played = yield* recorded(journal)
  const failure = DurableJournal.failureOf(played, journal, reasons)
  if (failure !== undefined) yield* journal.record(DurableJournal.encode(failure))
  const [first, ...others] = failure?.lost ?? []
  if (first === undefined) return undefined
  const unknown = `${why}. ${DurableJournal.unknownOf(played.begun.get(first))}`
  const known = played.ended.get(first)?.failure
  const message = known?.kind === DurableJournal.lostKind ? known.message : unknown
  const all = message + DurableJournal.alsoUnknown(played, others)
  return new OutcomeLost({ message: yield* withRepeated(journal, all) })
})

const notAwaited = (owner: string, calls: ReadonlyArray<Replay.Made>): UserCode.UserError | undefined => {
  const left = calls.find(({ exit, isAwaited }) => !isAwaited && (exit === undefined || Exit.isFailure(exit)))
  if (left === undefined) return undefined
  return left.exit !== undefined && Exit.isFailure(left.exit)
    ? new UserCode.UserError({ cause: Cause.squash(left.exit.cause) })
    : Replay.broken("NotAwaited", `${owner} has ended before its call ${left.what} has: await it`)
}

const thrownIn = (exit: Exit.Exit<unknown, UserCode.UserError>): UserCode.UserError => {
  const thrown = Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined
  return thrown instanceof UserCode.UserError ? thrown : new UserCode.UserError({ cause: thrown })
}

const executeIn = Effect.fnUntraced(function*<A, W>(
  host: Host<W>,
  f: (durable: Durable.Durable) => Effect.Effect<A, UserCode.UserError>
): Effect.fn.Return<A | Suspension<W>, UserCode.UserError> {
  const { journal, owner } = host
  host.begin?.()
  const services = yield* Effect.context<never>()
  const played = yield* repeated(journal)
  const fibers = new Set<Fiber.Fiber<unknown, unknown>>()
  const fork = <B, E>(effect: Effect.Effect<B, E>) => {
    const fiber = Effect.runForkWith(services)(effect)
    fibers.add(fiber)
    fiber.addObserver(() => fibers.delete(fiber))
    return fiber
  }
  const concluded = Deferred.makeUnsafe<Replay.Conclusion<A, W>>()
  const conclude = (conclusion: Replay.Conclusion<A, W>) => Deferred.doneUnsafe(concluded, Exit.succeed(conclusion))
  const execution = Replay.open(host, played, fork, conclude)
  const { calls } = execution
  const interrupted = Effect.suspend(() => Fiber.interruptAll([...fibers]))

  const fails = Effect.fnUntraced(function*(thrown: UserCode.UserError) {
    const why = UserCode.messageOf(thrown, `${owner} failed`)
    const unknown = yield* lost(journal, why, execution.reasonsOf(thrown))
    return yield* unknown === undefined ? thrown : new UserCode.UserError({ cause: unknown })
  })

  const concluding = Effect.fnUntraced(function*(conclusion: Replay.Conclusion<A, W>) {
    if (conclusion._tag === "Suspended") return new Suspension({ waits: conclusion.waits })
    const exit = conclusion._tag === "Ended" ? conclusion.exit : Exit.fail(conclusion.failure)
    const problem = Exit.isSuccess(exit) ? execution.divergence() ?? notAwaited(owner, calls) : undefined
    yield* Effect.andThen(execution.end, interrupted)
    if (Exit.isSuccess(exit) && problem === undefined) return exit.value
    return yield* fails(problem ?? thrownIn(exit))
  })

  const begun = Effect.suspend(() => {
    execution.continues()
    return f(durableOf(callsOf(execution), promising(fork, calls, execution.unhandled)))
  })
  fork(begun).addObserver((exit) => {
    execution.ended()
    conclude({ _tag: "Ended", exit })
  })
  return yield* Deferred.await(concluded).pipe(
    Effect.flatMap(concluding),
    Effect.ensuring(Effect.suspend(() => {
      execution.leave()
      return interrupted
    }))
  )
})
