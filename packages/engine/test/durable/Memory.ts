// A function with durable calls and a journal in memory: it is executed, killed after a number of entries, and executed
// again.
import type * as Json from "@svc-runtime/domain/Json"
import { Deferred, Effect, Exit, Fiber, Option } from "effect"
import { TestClock } from "effect/testing"
import * as Durable from "../../src/durable/Durable.ts"
import * as DurableCode from "../../src/durable/DurableCode.ts"
import { type Host, Suspension, Waits } from "../../src/durable/DurableHost.ts"
import type { OutcomeLost } from "../../src/tool/OutcomeLost.ts"
import * as UserCode from "../../src/userCode/UserCode.ts"

export interface Options {
  /** After how many entries of this life it is killed. */
  readonly after?: number
  /** What persons give, by the question. */
  readonly answers?: Readonly<Record<string, Json.Object>>
  /** A person has decided that it is called again. */
  readonly isDecided?: boolean
  /** How often a person has decided so, of a step. */
  readonly decisions?: number
  readonly run?: (input: Json.Value) => Effect.Effect<Json.Value, Durable.CallFailed>
}

type Failed = Durable.CallFailed | OutcomeLost | Error

export type End =
  | { readonly _tag: "Killed" }
  | { readonly _tag: "Waits"; readonly for: ReadonlyArray<string> }
  | { readonly _tag: "Gave"; readonly value: unknown }
  | { readonly _tag: "Failed"; readonly error: Failed }

export type Entries = ReadonlyArray<Json.Object>

export const writer: Durable.Component = { id: "writer", name: "Writer" }

/** A function with one journal, and all of its lives. */
export const make = (f: (durable: Durable.Durable) => UserCode.Returned<unknown>) => {
  const entries: Array<Json.Object> = []
  const cancelled: Array<string> = []
  const live = Effect.fnUntraced(
    function*({ after = Infinity, answers = {}, decisions = 0, isDecided, run }: Options = {}) {
      const dead = Deferred.makeUnsafe<void>()
      let written = 0
      const host: Host<string> = {
        owner: "Tool 'work'",
        effectId: "effect",
        underLease: (_, effect) => effect,
        journal: {
          isDecided,
          decisions: () => decisions,
          entries: () => [...entries],
          record: (entry) =>
            Effect.suspend(() => {
              if (written >= after) {
                return Effect.andThen(Deferred.succeed(dead, undefined), Effect.interruptible(Effect.never))
              }
              written++
              entries.push(entry)
              return Effect.yieldNow
            })
        },
        cancel: (reason, key = "all") => cancelled.push(`${key}: ${reason}`),
        run: (key, _, input) =>
          Effect.map(run?.(input) ?? Effect.succeed(input), (content) => ({ runId: `run ${key}`, content })),
        generate: (_, { prompt = "" }) => Effect.succeed(prompt),
        ask: (_key, _round, { message }) => {
          const values = answers[message]
          return values === undefined ? Effect.fail(new Waits({ wait: message })) : Effect.succeed(values)
        },
        wait: (_key, _round, { event = "time" }) => {
          const sent = answers[event]
          return sent === undefined ? Effect.fail(new Waits({ wait: event })) : Effect.succeed(Option.some(sent))
        }
      }
      const executed = Effect.exit(DurableCode.execute(host, (durable) => UserCode.call(() => f(durable))))
      const exit = yield* Effect.raceFirst(Effect.asSome(executed), Effect.as(Deferred.await(dead), Option.none()))
      if (Option.isNone(exit)) return { _tag: "Killed" } satisfies End as End
      if (Exit.isFailure(exit.value)) {
        const thrown = Option.getOrThrow(Exit.findErrorOption(exit.value))
        return { _tag: "Failed", error: thrown.cause as Failed } satisfies End as End
      }
      const { value } = exit.value
      return (value instanceof Suspension ? { _tag: "Waits", for: value.waits } : { _tag: "Gave", value }) as End
    }
  )
  return { entries, cancelled, live, kinds: () => entries.map(({ kind }) => kind) }
}

/** Ordinary waiting of a function, between its durable calls. */
export const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve))
}

/** Runs that fail the first time that they are made. */
export const failingOnce = (...inputs: ReadonlyArray<string>) => {
  const failing = new Set<unknown>(inputs)
  return (input: unknown) =>
    failing.delete(input)
      ? Effect.fail(new Durable.CallFailed({ kind: "RunFailed", message: `No ${String(input)}` }))
      : Effect.succeed(`${String(input)}!`)
}

/** Lets time pass until the function has ended. */
export const patiently = <A>(life: Effect.Effect<A>, time: "30 seconds" | "1 minute" = "30 seconds") =>
  Effect.gen(function*() {
    const fiber = yield* Effect.forkChild(life, { startImmediately: true })
    yield* Effect.promise(() => turns(200))
    yield* TestClock.adjust(time)
    return yield* Fiber.join(fiber)
  })
