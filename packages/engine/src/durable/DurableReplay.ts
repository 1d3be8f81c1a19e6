// The order of the durable calls of one execution of a function, and of their ends.
//
// - A repeated function gets from the journal what its calls have given. A call is found by its name and its input,
//   because calls of parallel branches come in any order. The ends come in the order in which they came before, and
//   none of them comes before the function has made the calls that it had made before that end.
// - A call that is not in the journal waits until the function has made the ones of the journal. If the function makes
//   no calls for a while instead, it has diverged: it fails, and does nothing twice.
// - When the function has failed, a retry makes those failed calls anew after whose failure it has made no other call.
//   What has ended well is kept, and so are failures after which the function has continued.
// - A retry that a person has decided goes back to the call whose error has ended the function: it is made anew, also
//   if the function has made other calls since, for example in `finally`. What it made after that failure is set aside,
//   because it can depend on the failure: the function makes it again, or not. The person reads what that is. A call
//   is the reason if the function throws its error, or an error that has it as its cause.
// - When all open calls wait, the function is left where it is: its calls never settle, and nothing of it continues.
// - When the function has ended, what is open is cancelled. A `once` step that has begun is waited for.
import * as Fnv1a from "@svc-runtime/domain/Fnv1a"
import type * as Json from "@svc-runtime/domain/Json"
import { Clock, Deferred, Duration, Effect, Exit, Fiber, Predicate, type Result, Semaphore } from "effect"
import { bytesOf, checkOutputBytes } from "../limits/ByteLimits.ts"
import { OutcomeLost } from "../tool/OutcomeLost.ts"
import * as UserCode from "../userCode/UserCode.ts"
import * as AlikeCalls from "./AlikeCalls.ts"
import * as Durable from "./Durable.ts"
import { failed, type Host, Waits } from "./DurableHost.ts"
import * as DurableJournal from "./DurableJournal.ts"
import * as InStep from "./InStep.ts"
import * as UnhandledErrors from "./UnhandledErrors.ts"
import * as WaitingCalls from "./WaitingCalls.ts"

/** More than a function needs. Each call is kept in the journal. */
const maxCalls = 1000

/**
 * A repeated function may do nothing for once or twice this time before it makes a call that it has made before. A
 * `once` step that the function no longer needs may take so long to end.
 */
const patience = Duration.seconds(30)

/** A function that did other things before a call for longer than this has to make the call sooner. */
const longestWork = Duration.minutes(10)

type Lost = OutcomeLost

type Kind = DurableJournal.CallType | undefined

type Perform<W, E> = (
  begun: DurableJournal.Begun,
  isKnown: boolean
) => Effect.Effect<Json.Value | undefined, Durable.CallFailed | E | Waits<W>>

/** A call as the function has made it. */
export interface Made {
  readonly what: string
  /** The function waits for it, or has done so. */
  isAwaited: boolean
  /** Undefined: it is open. */
  exit: Exit.Exit<unknown, unknown> | undefined
}

/** Why a function is no longer executed. */
export type Conclusion<A, W> =
  | { readonly _tag: "Ended"; readonly exit: Exit.Exit<A, UserCode.UserError> }
  | { readonly _tag: "Stopped"; readonly failure: UserCode.UserError }
  | { readonly _tag: "Suspended"; readonly waits: ReadonlyArray<W> }

export interface Execution<W> {
  readonly host: Host<W>
  /** In the order in which the function has made them. */
  readonly calls: Array<Made>
  /**
   * Called when the function makes the call, so that the order of the calls is known. `isKnown`: it had begun before
   * the function was repeated.
   */
  readonly begin: <E extends Lost = never>(
    what: string,
    given: unknown,
    perform: Perform<W, E>,
    kind?: Kind
  ) => Effect.Effect<Json.Value | undefined, Durable.CallFailed | E>
  /** Aborted when the function has ended. `once` steps get it: they are waited for. */
  readonly over: AbortSignal
  /** The function has ended with a result: why it is not the one that was repeated. */
  readonly divergence: () => UserCode.UserError | undefined
  /** The calls with whose errors the function has failed. */
  readonly reasonsOf: (thrown: UserCode.UserError) => ReadonlyArray<number>
  /** A branch of the function has thrown an error of a call, and nothing awaits it. */
  readonly unhandled: (thrown: unknown) => void
  /** Calls the function of a step, which must make no durable calls. */
  readonly inStep: <A, E>(name: string, called: Effect.Effect<A, E>) => Effect.Effect<A, E>
  /** The function begins now, or has got an end. */
  readonly continues: () => void
  /** The function is left where it is: what it still calls never settles. */
  readonly leave: () => void
  /** The function has ended. */
  readonly ended: () => void
  /** What is open is cancelled, and what cannot be made again is waited for. */
  readonly end: Effect.Effect<void>
}

export const broken = (kind: string, message: string) => new UserCode.UserError({ cause: failed(kind, message) })

const diverged = (what: string): UserCode.UserError =>
  broken(
    "Diverged",
    `${what}. Between its durable calls a function must do the same each time that it is repeated: put what can ` +
      "change (times, random numbers, requests) into step(). If the code has changed, start a new run, or bring the " +
      "former code back until this run has ended"
  )

const fail = (kind: string, message: string) => Effect.fail(failed(kind, message))

const nameOf = (cause: unknown): string => {
  if (Predicate.hasProperty(cause, "_tag") && Predicate.isString(cause._tag)) return cause._tag
  return Predicate.isError(cause) ? cause.name : "Error"
}

export const kindOf = (cause: unknown): string => {
  const name = nameOf(cause)
  return DurableJournal.ownKinds.includes(name) ? "Error" : name
}

/** The effect of the call is there, and its result is not. */
export const notKept = (what: string, kind: Kind, why: string) =>
  failed(
    DurableJournal.notKeptKind,
    `${what} was done, but its result cannot be kept: ${why}. Return less, and only JSON: texts, numbers, booleans, ` +
      "null, and lists and objects of these" +
      (kind === "once" ? ". It is not done again: handle this error, or start a new run" : "")
  )

/** Ticks: turns of the event loop. */
const failurePause = 10

/** After a call the function continues for some ticks before it makes the next one. */
const ticks = (count: number) => Effect.repeat(Effect.yieldNow, { times: count })

const asError = ({ kind, message }: NonNullable<DurableJournal.Ended["failure"]>) =>
  kind === DurableJournal.lostKind ? new OutcomeLost({ message }) : failed(kind, message)

export const open = <W>(
  host: Host<W>,
  { anew, aside, begun, ended, failures, next: firstNew }: DurableJournal.Played,
  fork: (effect: Effect.Effect<void>) => void,
  conclude: (conclusion: Conclusion<never, W>) => void
): Execution<W> => {
  const { journal, owner } = host
  const calls: Array<Made> = []
  const over = new AbortController()
  /** What the function has not made again yet. */
  const unmade = new Map(begun)
  /** The known ends, in their order. Later ends come after all of them. */
  const undelivered = [...ended.keys()]
  const arrived = new Map<number, Deferred.Deferred<void>>()
  const allDelivered = Deferred.makeUnsafe<void>()
  /** New calls, and what the function does instead of the calls that it has not made again. */
  const held: Array<{ readonly what: string; readonly go: Deferred.Deferred<void> }> = []
  const waiting = WaitingCalls.make<W>({ begun, ended })
  const performing = new Map<number, { readonly what: string; readonly kind: Kind }>()
  /** Settled when the call has ended. */
  const ends = new Map<number, Deferred.Deferred<void>>()
  /** The calls whose ends are new. */
  const recorded = new Set<number>()
  /** The calls, by the errors that the function has got from them. */
  const errors = new Map<unknown, number>()
  const setAside = [...aside]
  const writing = Semaphore.makeUnsafe(1)
  /** Of the ends that come after a pause: the first of them waits for it. */
  const queue = Semaphore.makeUnsafe(1)
  let state: "running" | "left" | "ended" = "running"
  let next = firstNew
  let delivered = 0
  /** Calls with a known end that the function has not got yet. */
  let blocked = 0
  /** Calls that have ended now, and whose end comes after all known ones. */
  let ending = 0
  /** Calls that the function has to interrupt as it has before. */
  const interruptible = new Set<number>()
  const alike = AlikeCalls.make(() => reaction !== undefined)
  let moves = 0
  let isWatched = false
  /** No end comes before it is over. */
  let pause: Deferred.Deferred<void> | undefined
  let bytes: number | undefined

  const stop = (failure: UserCode.UserError): void => {
    if (state !== "running") return
    state = "left"
    conclude({ _tag: "Stopped", failure })
  }

  const leaveWhenIdle = (seen: number) =>
    Effect.andThen(
      ticks(5),
      Effect.sync(() => {
        if (state !== "running" || moves !== seen) return
        state = "left"
        conclude({ _tag: "Suspended", waits: waiting.inOrder() })
      })
    )

  /** A call that the function had made before it got the next end. */
  const missing = (): DurableJournal.Begun | undefined => {
    for (const entry of unmade.values()) if (entry.after <= delivered) return entry
    return undefined
  }

  const canProceed = (): boolean => pause === undefined && missing() === undefined

  const proceed = (): void => {
    while (canProceed()) {
      for (const { go } of held.splice(0)) Deferred.doneUnsafe(go, Exit.void)
      const [first] = undelivered
      if (first === undefined) Deferred.doneUnsafe(allDelivered, Exit.void)
      const delivery = first === undefined ? undefined : arrived.get(first)
      if (delivery === undefined) return
      undelivered.shift()
      delivered++
      pauseEnds(ended.get(first ?? 0)?.failure === undefined ? 3 : failurePause)
      Deferred.doneUnsafe(delivery, Exit.void)
    }
  }

  /**
   * After a known end, so that the function gets it before the next one. After a failure a function that throws it ends
   * before another branch makes a call, and can be retried.
   */
  const pauseEnds = (length: number): void => {
    const over = Deferred.makeUnsafe<void>()
    pause = over
    const end = () => {
      if (pause === over) pause = undefined
      Deferred.doneUnsafe(over, Exit.void)
      move()
    }
    fork(Effect.andThen(ticks(length), Effect.sync(end)))
  }

  const problemOf = ({ call, what }: DurableJournal.Begun): string => {
    const [other] = held
    const now = other === undefined
      ? "is not made now"
      : other.what === what
      ? "has another input now"
      : `is ${other.what} now`
    return `Call ${call + 1} of ${owner} was ${what} before, and ${now}`
  }

  const isBlocked = () => performing.size === ending && blocked + held.length + ending + interruptible.size > 0

  /** The call that the function has to interrupt now. */
  const toInterrupt = (): DurableJournal.Begun | undefined => {
    const [first] = undelivered
    return first !== undefined && interruptible.has(first) ? begun.get(first) : undefined
  }

  /** How long it took before the function interrupted the call, at most. Undefined: it has done nothing after that. */
  const timeBefore = ({ at, call }: DurableJournal.Begun): number | undefined => {
    const place = [...ended.keys()].indexOf(call)
    const later = [...begun.values()].flatMap((entry) => entry.after > place ? [entry.at] : [])
    return later.length === 0 ? undefined : Math.max(0, Math.min(...later) - at)
  }

  /** How long the function did other things before the call, at most: it can have been away. */
  const workBefore = ({ after, at, call }: DurableJournal.Begun): number => {
    const before = [...ended.values()].slice(0, after)
    const earlier = [...begun.values()].flatMap((entry) => entry.call < call && entry.at <= at ? [entry.at] : [])
    const times = [...earlier, ...before.flatMap((entry) => entry.at ?? at)]
    return times.length === 0 ? 0 : Math.min(Duration.toMillis(longestWork), Math.max(0, at - Math.max(...times)))
  }

  const problemNow = (isLate: boolean): string | undefined => {
    const entry = missing()
    if (entry !== undefined) return problemOf(entry)
    const open = isLate ? toInterrupt() : undefined
    return open && `Call ${open.call + 1} of ${owner} was ${open.what}, which it interrupted before, and does not now`
  }

  /** A function that does not make its calls again, or does not interrupt them, must not wait forever. */
  const watch = (): void => {
    if (state !== "running" || isWatched || !isBlocked()) return
    isWatched = true
    const seen = moves
    const open = toInterrupt()
    const time = open && timeBefore(open)
    const absent = missing()
    const work = absent === undefined ? 0 : workBefore(absent)
    const judge = Effect.sync(() => {
      isWatched = false
      const problem = moves === seen && isBlocked() ? problemNow(time !== undefined) : undefined
      if (problem === undefined) watch()
      else stop(diverged(problem))
    })
    fork(Effect.delay(judge, Duration.sum(Duration.millis(Math.max(time ?? 0, work)), patience)))
  }

  /** Something has happened. */
  const move = (): void => {
    if (state !== "running") return
    moves++
    proceed()
    const isIdle = performing.size + blocked + interruptible.size + held.length === 0
    if (isIdle && waiting.count() > 0) fork(leaveWhenIdle(moves))
    watch()
  }

  const known = <E>(
    { call, failure: problem, value }: DurableJournal.Ended,
    key: string,
    kind: Kind
  ): Effect.Effect<Json.Value | undefined, Durable.CallFailed | E> => {
    const delivery = Deferred.makeUnsafe<void>()
    const isInterrupted = problem?.kind === DurableJournal.interruptedKind
    if (isInterrupted) interruptible.add(call)
    else {
      blocked++
      arrived.set(call, delivery)
    }
    const got = Effect.onExit(Deferred.await(delivery), (exit) =>
      Effect.sync(() => {
        if (isInterrupted) {
          interruptible.delete(call)
          arrived.set(call, delivery)
        } else blocked--
        if (exit._tag === "Success" && kind === "run") host.restore?.(key)
        move()
      }))
    return Effect.flatMap(
      got,
      () => problem === undefined ? Effect.succeed(value) : Effect.fail(asError(problem) as Durable.CallFailed | E)
    )
  }

  const record = (entry: DurableJournal.Ended) =>
    Effect.tap(journal.record(DurableJournal.encode(entry)), () =>
      Effect.sync(() => {
        delivered++
        recorded.add(entry.call)
        waiting.ends(performing.get(entry.call)?.what)
        if (entry.failure !== undefined) pauseEnds(failurePause)
      }))

  /** An end that is too large is recorded without its value: a retry has to know that the call was made. */
  const checked = (end: DurableJournal.Ended) =>
    Effect.flatMap(Clock.currentTimeMillis, (at) => {
      const entry = { ...end, at }
      bytes ??= [...ended.values()].reduce((sum, each) => sum + bytesOf(JSON.stringify(each)), 0)
      bytes += bytesOf(JSON.stringify(entry))
      return Effect.catch(
        Effect.andThen(checkOutputBytes(`what the durable calls of ${owner} give together`, bytes), record(entry)),
        ({ message: why }) => {
          const { call, failure } = entry
          const { kind: type, what = owner } = performing.get(call) ?? {}
          const { kind, message } = failure === undefined
            ? notKept(what, type, why)
            : { kind: failure.kind, message: why }
          return record({ kind: "ended", call, failure: { kind, message }, at }).pipe(
            Effect.andThen(Effect.sync(() => stop(broken(kind, message)))),
            Effect.andThen(Effect.interrupt)
          )
        }
      )
    })

  const write = (entry: DurableJournal.Ended): Effect.Effect<void> => writing.withPermits(1)(checked(entry))

  /** The pause is for a function that throws, which can first have to interrupt other calls. */
  const writeLater = (entry: DurableJournal.Ended): Effect.Effect<void> =>
    Effect.flatMap(
      writing.withPermits(1)(
        Effect.suspend(() => pause === undefined ? Effect.as(checked(entry), undefined) : Effect.succeed(pause))
      ),
      (over) => over === undefined ? Effect.void : Effect.andThen(Deferred.await(over), writeLater(entry))
    )

  const isTurn = Effect.suspend(() => {
    if (undelivered.length === 0) return Effect.void
    ending++
    watch()
    return Effect.ensuring(Deferred.await(allDelivered), Effect.sync(() => ending--))
  })

  const end = (entry: DurableJournal.Ended) => Effect.andThen(isTurn, queue.withPermits(1)(writeLater(entry)))

  /** The code around the call has interrupted it, and continues. */
  const interrupted = (call: number) =>
    Effect.suspend(() => {
      if (state !== "running") return Effect.void
      performing.delete(call)
      waiting.remove(call)
      if (recorded.has(call)) return Effect.sync(move)
      const problem = { kind: DurableJournal.interruptedKind, message: "The call was interrupted" }
      const entry: DurableJournal.Ended = { kind: "ended", call, failure: problem }
      if (undelivered.length > 0) fork(Effect.andThen(isTurn, write(entry)))
      return Effect.ensuring(undelivered.length > 0 ? Effect.void : write(entry), Effect.sync(move))
    })

  const cancelCall = (key: string) =>
    Effect.sync(() => {
      if (state === "running") host.cancel?.("The call was interrupted", key)
    })

  /** In a fiber of its own: a run that cannot be interrupted is cancelled first. */
  const perform = Effect.fnUntraced(function*<B, E>(key: string, effect: Effect.Effect<B, E>) {
    const fiber = yield* Effect.forkChild(Effect.result(effect), { startImmediately: true })
    const exit = yield* Effect.onInterrupt(
      Fiber.await(fiber),
      () => Effect.andThen(cancelCall(key), Fiber.interrupt(fiber))
    )
    // a run that interrupts itself is handed over, or cancelled with the run around it: that one is interrupted, too
    return exit._tag === "Success" ? exit.value : yield* Effect.never
  })

  const made = Effect.fnUntraced(function*<E extends Lost>(
    entry: DurableJournal.Begun,
    isKnown: boolean,
    kind: Kind,
    performed: Perform<W, E>
  ): Effect.fn.Return<Json.Value | undefined, Durable.CallFailed | E> {
    const { call, key } = entry
    if (!isKnown) yield* journal.record(DurableJournal.encode(entry))
    const result = yield* perform(
      key,
      Effect.catchDefect(
        Effect.suspend(() => performed(entry, isKnown)),
        (defect) => fail(kindOf(defect), UserCode.messageOf(new UserCode.UserError({ cause: defect }), "It failed"))
      )
    )
    if (result._tag === "Failure" && result.failure instanceof Waits) {
      waiting.add(entry, result.failure.wait)
      performing.delete(call)
      move()
      return yield* Effect.never
    }
    if (result._tag === "Success") {
      const { success: value } = result
      yield* end({ kind: "ended", call, ...(value === undefined ? {} : { value }) })
    } else {
      const { failure: problem } = result
      const { message } = problem
      const problemKind = problem instanceof Durable.CallFailed ? problem.kind : DurableJournal.lostKind
      yield* end({ kind: "ended", call, failure: { kind: problemKind, message } })
    }
    performing.delete(call)
    move()
    return yield* Effect.fromResult(result as Result.Result<Json.Value | undefined, Durable.CallFailed | E>)
  })

  /** The call as it was made before. Among equal ones the first. */
  const madeBefore = (what: string, input: string): DurableJournal.Begun | undefined => {
    for (const entry of unmade.values()) if (entry.what === what && entry.input === input) return entry
    return undefined
  }

  /** The key of an equal step that was set aside. */
  const formerKey = (what: string, input: string): string | undefined => {
    const index = setAside.findIndex((each) => each.what === what && each.input === input)
    return index === -1 ? undefined : setAside.splice(index, 1)[0]?.key
  }

  const remembering = <A, E>(call: number, made: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.tapError(made, (error) => Effect.sync(() => errors.set(error, call)))

  const begin = <E extends Lost>(
    what: string,
    given: unknown,
    performed: Perform<W, E>,
    kind?: Kind
  ): Effect.Effect<Json.Value | undefined, Durable.CallFailed | E> => {
    const input = Fnv1a.of(JSON.stringify(given) ?? "")
    const before = madeBefore(what, input)
    const itsEnd = before === undefined ? undefined : ended.get(before.call)
    if (before !== undefined) unmade.delete(before.call)
    if (before !== undefined && itsEnd !== undefined) {
      const got = known<E>(itsEnd, before.key, kind)
      move()
      return remembering(before.call, got)
    }
    const call = before?.call ?? next++
    const key = before === undefined
      ? (kind === "step" ? formerKey(what, input) : undefined) ?? `$${call}`
      : `$${call}.${failures}`
    const isKnown = before !== undefined && !anew.has(call)
    const after = delivered
    const go = Deferred.makeUnsafe<void>()
    const isHeld = before === undefined && missing() !== undefined
    if (isHeld) held.push({ what, go })
    else performing.set(call, { what, kind })
    const hasEnded = Deferred.makeUnsafe<void>()
    if (kind === "once") ends.set(call, hasEnded)
    move()
    const making = Effect.gen(function*() {
      if (isHeld) {
        yield* Deferred.await(go)
        performing.set(call, { what, kind })
      }
      const entry = isKnown ? before : {
        kind: "begun" as const,
        call,
        key,
        what,
        input,
        at: yield* Clock.currentTimeMillis,
        after,
        ...(kind === undefined ? {} : { type: kind })
      }
      return yield* made(entry, isKnown, kind, performed)
    })
    return remembering(call, making).pipe(
      Effect.onInterrupt(() => interrupted(call)),
      Effect.ensuring(Deferred.succeed(hasEnded, undefined))
    )
  }

  let reaction: object | undefined
  /** The function continues. What it calls before it waits for something else has the same order each time. */
  const continues = (): void => {
    const own = {}
    reaction = own
    const waits = Effect.sync(() => {
      if (reaction === own) reaction = undefined
    })
    fork(Effect.andThen(ticks(1), waits))
  }

  return {
    host,
    calls,
    over: over.signal,
    begin: (what, given, performed, kind) => {
      if (state === "left") return Effect.interrupt
      const step = InStep.nameIn(calls)
      if (step !== undefined) {
        return fail(
          "Nested",
          `${owner} calls ${what} inside of step '${step}': a step is not called again, and so cannot make durable ` +
            "calls. Make the call before or after it"
        )
      }
      if (state === "ended") {
        return fail("Late", `${owner}: ${what} was called after the function had ended: await it`)
      }
      if (calls.length >= maxCalls) {
        stop(broken("TooMany", `${owner} makes more than ${maxCalls} durable calls. Do less in one call of it`))
        return Effect.interrupt
      }
      const open = alike.enter(what, given, kind)
      if (open === undefined) {
        stop(broken(
          "Alike",
          `${owner} called ${what} while an equal call was open, after it had waited for something else than a durable ` +
            "call: a repetition could mistake one for the other. Give the steps of parallel branches names of their own"
        ))
        return Effect.interrupt
      }
      calls.push({ what, isAwaited: true, exit: undefined })
      const got = Effect.onExit(begin(what, given, performed, kind), () =>
        Effect.sync(() => {
          open.leave()
          continues()
        }))
      // what the function does with its value does not change the journal
      return Effect.map(got, (value) => structuredClone(value))
    },
    reasonsOf: (thrown) => {
      const found: Array<number> = []
      for (const error of UnhandledErrors.errorsIn(thrown)) {
        const call = errors.get(error)
        if (call !== undefined) found.push(call)
      }
      return found
    },
    unhandled: (thrown) => {
      const failure = new UserCode.UserError({ cause: thrown })
      const why = `${owner} does not await a branch, which failed: ${UserCode.messageOf(failure, "It failed")}`
      fork(Effect.logWarning(why))
      stop(failure)
    },
    inStep: (name, called) => InStep.call({ within: calls, name }, called),
    continues,
    divergence: () =>
      unmade.size > 0
        ? diverged(`${owner} made ${begun.size} durable calls before, and has made ${calls.length} now`)
        : undefined,
    leave: () => {
      if (state === "running") state = "left"
    },
    ended: () => {
      if (state === "running") state = "ended"
    },
    end: Effect.suspend(() => {
      if (performing.size + waiting.count() === 0) return Effect.void
      Deferred.doneUnsafe(allDelivered, Exit.void)
      over.abort()
      host.cancel?.(`${owner} has ended`)
      const steps = [...performing.keys()].flatMap((call) => ends.get(call) ?? [])
      const ended = Effect.forEach(steps, (step) => Deferred.await(step), { discard: true })
      return Effect.ignore(Effect.timeout(ended, patience))
    })
  }
}
