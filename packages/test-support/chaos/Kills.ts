// Kills a service at every point of a run, starts it again, and looks at what has become of the run: whether it has
// ended, what it did to the world, and whether it tells the truth about it.
import { assert } from "@effect/vitest"
import { ServiceProcess } from "@svc-runtime/test-support"
import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import type * as ServiceClient from "@svc-runtime/test-support/ServiceClient"
import { Effect, Redacted, type Scope } from "effect"
import { type Case, check, type Started, unknownIn } from "./Checks.ts"
import * as Client from "./Client.ts"
import * as Operator from "./Operator.ts"
import * as Points from "./Points.ts"
import * as Progress from "./Progress.ts"
import * as Script from "./Script.ts"
import { fileFor } from "./serviceFile.ts"
import * as SideEffectLog from "./SideEffectLog.ts"
import type { Subject } from "./Subjects.ts"

export interface World {
  readonly subject: Subject
  readonly ledger: SideEffectLog.Ledger
  readonly start: Effect.Effect<Started, ServiceProcess.ServiceDidNotStart, Scope.Scope>
  /** With more settings. */
  readonly startWith: (more: Readonly<Record<string, string>>) => World["start"]
  /** Starts a process that is not killed at the points of this run. */
  readonly startPassing: (run: string) => World["start"]
  /** Starts a process that dies when work that belongs to no run reaches this point. */
  readonly startUntil: (point: string) => World["start"]
  /**
   * The lines of the last process, without those about requests, and the calls to the world. While it starts, it also
   * shows that it lives by its processor time.
   */
  readonly signs: Progress.Signs
}

export const world = Effect.fnUntraced(function*(subject: Subject, database: Readonly<Record<string, string>>) {
  const ledger = yield* SideEffectLog.make
  const model = yield* Script.make()
  const env = {
    ...database,
    LEDGER_URL: ledger.url,
    MODEL: "openai-compatible:local",
    OPENAI_BASE_URL: model.url,
    PORT: "0",
    NODE_NAME: "only",
    LOG_LEVEL: "Info"
  }
  let lines = () => ""
  let starting: number | undefined
  const startWith = (more: Readonly<Record<string, string>>): World["start"] =>
    Effect.suspend(() => {
      const startedAt = Date.now()
      return Effect.gen(function*() {
        const launched = yield* ServiceProcess.launch(fileFor(more), { ...env, ...more })
        lines = launched.stdout
        starting = launched.pid
        const url = yield* launched.greeted
        starting = undefined
        return { ...launched, url, startedAt }
      })
    })
  const world: World = {
    subject,
    ledger,
    start: startWith({}),
    startWith,
    startPassing: (run) => startWith({ PASSES_POINTS_OF: run }),
    startUntil: (point) => startWith({ PROCESS_RUN: Points.runIdOf([1, point]) }),
    signs: {
      ...Progress.ofOutput([() => lines()], ledger.calls),
      heartbeats: Effect.sync(() => starting === undefined ? "" : Progress.processorTime(starting))
    }
  }
  return world
})

/** Over a PostgreSQL of its own. Its one node is there again long before another one would be looked for. */
export const onPostgres = (subject: Subject) =>
  Effect.flatMap(
    PostgresLayer.url,
    (url) => world(subject, { DATABASE_URL: Redacted.value(url), NODE_TIMEOUT: "1 minute" })
  )

const killed = Effect.fnUntraced(function*({ ended, stdout }: Started, run: string) {
  assert.strictEqual(yield* ended, "SIGKILL", `${run}: ${stdout()}`)
})

/** The points that a run comes by in its first attempt when nothing happens to it. */
export const points = Effect.fnUntraced(function*({ start, subject }: World) {
  const service = yield* start
  const run = Points.runIdOf()
  const received = yield* Client.attempt(() => Client.of(subject).start(service.url, run))
  assert.isTrue(received.isWhole, received.text)
  yield* service.saying(`point ${run} 1 finish.after.1`)
  const lines = service.stdout().split("\n").filter((line) => line.startsWith(`point ${run} 1 `))
  yield* service.end("SIGKILL")
  return lines.map((line) => line.split(" ")[3]!)
})

/**
 * Of a long run's points those at which something is being written into the journal, and has been, at which it begins
 * and ends, and at which it does something to the world. In between it is as at one of these: what a call answers is
 * written down next. Requests of models, and events that are stored by the way, are many and alike: each fifth of them.
 */
export const few = (points: ReadonlyArray<string>): ReadonlyArray<string> =>
  points.filter((point) => {
    const [kind, phase = "", count] = point.split(".")
    if (kind === "record") return phase !== "before"
    if (kind !== "model" && kind !== "append") return phase !== "piece" && phase !== "end"
    return ["during", "begun", "piece"].includes(phase) && Number(count) % 5 === 1
  })

export interface Fate {
  readonly run: string
  readonly kills: number
  /** Undefined when the run was never accepted. */
  readonly status: string | undefined
}

/** A service that goes from one run to the next, and is another process after each. */
export const make = Effect.fnUntraced(function*({ ledger, signs, start, startPassing, subject }: World) {
  const client = Client.of(subject)
  let service = yield* start

  /** Ends when nothing moves any more. */
  const watched = <A, E, R>(kill: (point: A) => Effect.Effect<Fate, E, R>) => (point: A) =>
    Progress.watched(String(point), signs, kill(point))

  /** What happens to a run that the last of these processes resumes. */
  const fateOf = (
    run: string,
    kills: number,
    services: ReadonlyArray<Started>,
    received: ServiceClient.Received,
    decisions?: Case["decisions"]
  ) =>
    Effect.map(
      check({ subject, ledger, run, services, received, decisions }),
      (status): Fate => ({ run, kills, status })
    )

  /** Kills it where a run is at a point. What is not reached any more is no kill. */
  const at = Effect.fnUntraced(function*(point: string) {
    const run = Points.runIdOf([1, point])
    const received = yield* Client.attempt(() => client.start(service.url, run))
    if (received.isWhole) yield* service.end("SIGKILL")
    else yield* killed(service, run)
    service = yield* startPassing(run)
    return yield* fateOf(run, received.isWhole ? 0 : 1, [service], received)
  })

  /** Kills it where a run is at the first point, and then where the resumed run is at the other one. */
  const twice = Effect.fnUntraced(function*([first, then]: readonly [first: string, then: string]) {
    const run = Points.runIdOf([1, first], [2, then])
    const begun = service
    const received = yield* Client.attempt(() => client.start(begun.url, run))
    assert.isFalse(received.isWhole, `${run}: it does not come by ${first}`)
    yield* killed(begun, run)
    // it may die while it starts, or when it has
    const second = yield* Effect.exit(start)
    const middle: Array<Started> = []
    if (second._tag === "Success") {
      middle.push(second.value)
      const kept = yield* Client.attempt(() => client.watch(second.value.url, run))
      assert.isFalse(kept.isWhole && Client.parse(kept.text).length > 0, `${run}: it does not come by ${then}`)
      yield* killed(second.value, run)
    }
    service = yield* startPassing(run)
    return yield* fateOf(run, 2, [...middle, service], received)
  })

  /** Kills it during an effect that must be made once, and then while it resumes with a person's decision about it. */
  const decided = Effect.fnUntraced(function*([first, then]: readonly [first: string, then: string]) {
    const run = Points.runIdOf([1, first], [3, then])
    const begun = service
    const isWhole = (yield* Client.attempt(() => client.start(begun.url, run))).isWhole
    assert.isFalse(isWhole, `${run}: it does not come by ${first}`)
    yield* killed(begun, run)
    const second = yield* start
    const received = yield* Client.attempt(() => client.watch(second.url, run))
    const unknown = unknownIn({ subject, ledger, run, services: [second], received }, "PAUSED")
    const decisions = yield* Operator.say({ subject, ledger, url: second.url, run, unknown })
    assert.isFalse(decisions?.received.isWhole, `${run}: it does not wait, or does not come by ${then}`)
    yield* killed(second, run)
    service = yield* startPassing(run)
    return yield* fateOf(run, 2, [second, service], received, decisions)
  })

  /** Kills it where an approval resumes a run, which is not resolved a second time. */
  const approved = Effect.fnUntraced(function*(place: Points.Place) {
    const run = Points.runIdOf(place)
    const begun = service
    const received = yield* Client.attempt(() => client.start(begun.url, run))
    assert.isTrue(received.isWhole, `${run}: it does not wait`)
    yield* Client.attempt(() => client.approve(begun.url, run))
    yield* killed(begun, run)
    service = yield* startPassing(run)
    const { url } = service
    // the decision may be lost while it is stored
    const isMaybeLost = place[1].includes("during")
    yield* Effect.sleep("250 millis").pipe(
      Effect.andThen(isMaybeLost ? Client.attempt(() => client.approve(url, run)) : Effect.void),
      Effect.andThen(Client.attempt(() => client.find(url, run))),
      Effect.repeat({ until: (output) => output?.status === "COMPLETED" })
    )
    return yield* fateOf(run, 1, [service], received)
  })

  return { approved: watched(approved), at: watched(at), decided: watched(decided), twice: watched(twice) }
})

/** What there is to say at the end. */
const summaryOf = (fates: ReadonlyArray<Fate>): string => {
  const count = (status: string | undefined) => fates.filter((fate) => fate.status === status).length
  const kills = fates.reduce((sum, fate) => sum + fate.kills, 0)
  return `${kills} kills, ${fates.length} runs: ${count("COMPLETED")} completed, ${
    count("PAUSED")
  } paused because the outcome of a call ` +
    `is unknown, ${count(undefined)} never accepted; 0 lost, 0 stuck, 0 done twice`
}

const progress = (line: string) => Effect.sync(() => process.stdout.write(`${line}\n`))

/** Every point in its turn, with a word from time to time. */
export const throughAll = Effect.fnUntraced(function*<A>(
  name: string,
  all: ReadonlyArray<A>,
  kill: (point: A) => Effect.Effect<Fate, ServiceProcess.ServiceDidNotStart | Progress.Stuck, Scope.Scope>
) {
  const fates: Array<Fate> = []
  for (const point of all) {
    fates.push(yield* kill(point))
    if (fates.length % 20 === 0) yield* progress(`${name}: ${fates.length} of ${all.length} points`)
  }
  yield* progress(`${name}: ${summaryOf(fates)}`)
  return fates.reduce((sum, { kills }) => sum + kills, 0)
})
