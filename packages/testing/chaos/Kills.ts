// Kills a service at every point of a run, starts it again, and looks at what has become of the run: whether it has ended,
// what it did to the world, and whether it tells the truth about it.
import { assert } from "@effect/vitest"
import { ServiceProcess } from "@svc/testing"
import { Effect, type Scope } from "effect"
import { fileURLToPath } from "node:url"
import * as Buyer from "./Buyer.ts"
import * as Client from "./Client.ts"
import * as Ledger from "./Ledger.ts"
import * as Points from "./Points.ts"

const file = fileURLToPath(new URL("service.ts", import.meta.url))
const compiled = fileURLToPath(new URL("../../../node_modules/.cache/compiled", import.meta.url))

interface Started extends ServiceProcess.ServiceProcess {
  readonly startedAt: number
}

export interface World {
  readonly ledger: Ledger.Ledger
  readonly start: Effect.Effect<Started, ServiceProcess.ServiceDidNotStart, Scope.Scope>
}

export const world = Effect.fnUntraced(function*(database: Readonly<Record<string, string>>) {
  const ledger = yield* Ledger.make
  const model = yield* Buyer.make()
  const env = {
    ...database,
    LEDGER_URL: ledger.url,
    MODEL: "openai-compatible:local",
    OPENAI_BASE_URL: model.url,
    PORT: "0",
    NODE_NAME: "only",
    NODE_COMPILE_CACHE: compiled,
    LOG_LEVEL: "Info"
  }
  const start = Effect.suspend(() => {
    const startedAt = Date.now()
    return Effect.map(ServiceProcess.start(file, env), (service): Started => ({ ...service, startedAt }))
  })
  const world: World = { ledger, start }
  return world
})

interface Entry {
  readonly kind: string
  readonly call?: number
  readonly begun?: ReadonlyArray<number>
  readonly calls?: ReadonlyArray<{ readonly name: string }>
}

interface Taken {
  readonly run_id: string
  readonly attempt: number
  readonly entries: ReadonlyArray<Entry>
  readonly eventCount: number
}

/** What the processes found in the store that went on with the run, the last of them. Undefined when none did. */
const takenIn = (services: ReadonlyArray<Started>, run: string): Taken | undefined =>
  services.flatMap(({ said }) => said().split("\n"))
    .filter((line) => line.startsWith("taken "))
    .map((line) => JSON.parse(line.slice("taken ".length)) as Taken)
    .findLast(({ run_id }) => run_id === run)

/** The calls that the journal says were to be made, and of which it has no answer, by their effect ids. */
const openCalls = ({ entries, run_id }: Taken): ReadonlyMap<string, string> => {
  const open = new Map<string, string>()
  let step = -1
  let names: ReadonlyArray<string> = []
  for (const { begun = [], call, calls = [], kind } of entries) {
    if (kind === "asked") {
      step++
      open.clear()
      names = calls.map(({ name }) => name)
      for (const index of begun) open.set(`${run_id}.${step}.${index}`, names[index] ?? "")
    } else if (kind === "answered") open.delete(`${run_id}.${step}.${call}`)
  }
  return open
}

/** Every effect that the journal says was to happen, in whatever attempt. */
const intended = ({ entries, run_id }: Taken): ReadonlySet<string> =>
  new Set(
    entries.filter(({ kind }) => kind === "asked").flatMap(({ begun = [] }, step) =>
      begun.map((index) => `${run_id}.${step}.${index}`)
    )
  )

/** The effect that a tool execution of an output stands for. */
const effectOf = (run: string, { tool_call_id }: Client.Tool): string =>
  tool_call_id.replace(/^call-(\d+)-(\d+)$/, `${run}.$1.$2`)

const repeated = (keys: ReadonlyArray<string>) => keys.filter((key, index) => keys.indexOf(key) !== index)

/** Nothing has happened twice that must not, and nothing is claimed that has not happened. */
const checkEffects = ({ ledger }: World, run: string, output: Client.Output) => {
  const calls = ledger.of(run)
  const once = calls.filter(({ tool }) => tool === "pay").map(({ key }) => key)
  assert.deepStrictEqual(repeated(once), [], `${run}: paid twice`)
  const known = Buyer.steps.flatMap((names, step) => names.map((_, index) => `${run}.${step}.${index}`))
  assert.includeMembers(known, calls.map(({ key }) => key), `${run}: a call under an id of its own`)
  const reserved = new Map(calls.filter(({ tool }) => tool === "reserve").map(({ key, receipt }) => [key, receipt]))
  for (const { key, receipt, tool } of calls) {
    if (tool === "reserve") assert.strictEqual(receipt, reserved.get(key), `${run}: one id, one effect`)
  }
  for (const tool of output.tools ?? []) {
    if (tool.result === null) continue
    const made = calls.filter(({ key }) => key === effectOf(run, tool)).map(({ receipt }) => receipt)
    assert.include(made, tool.result, `${run}: ${tool.tool_call_id} claims what did not happen`)
  }
  const claimed = [...output.content.matchAll(/\[([^\]]+)\]/g)].map(([, receipt]) => receipt!)
  assert.includeMembers(calls.map(({ receipt }) => receipt), claimed, `${run}: the answer claims what did not happen`)
  if (output.status === "COMPLETED") {
    assert.strictEqual(new Set(calls.map(({ key }) => key)).size, known.length, `${run}: a call was left out`)
    assert.strictEqual(claimed.length, known.length, run)
  }
}

/** `outcome_unknown` stands where a call was to be made once, and no answer of it was kept; and nowhere else. */
const checkUnknown = (run: string, output: Client.Output, taken: Taken | undefined) => {
  const open = taken === undefined ? [] : [...openCalls(taken)].filter(([, name]) => name === "pay").map(([id]) => id)
  const unknown = (output.tools ?? []).filter(({ outcome_unknown }) => outcome_unknown === true)
  assert.deepStrictEqual(unknown.map((tool) => effectOf(run, tool)), open, `${run}: outcome_unknown`)
  assert.strictEqual(output.status, open.length > 0 ? "PAUSED" : "COMPLETED", run)
}

/** What was shown before is part of what is kept, and that has no gaps. */
const checkEvents = (run: string, heard: Client.Heard, kept: Client.Heard) => {
  assert.isTrue(kept.isWhole, `${run}: its stream ends`)
  const all = Client.parse(kept.text)
  assert.deepStrictEqual(all.map(({ index }) => index), all.map((_, index) => index), `${run}: no gap, no repeat`)
  const shown = Client.parse(heard.text)
  assert.deepStrictEqual(shown, all.slice(0, shown.length), `${run}: what was shown is not taken back`)
}

/** No call was made before it was written down that it would be. */
const checkIntents = ({ ledger }: World, run: string, [first]: ReadonlyArray<Started>) => {
  const taken = first === undefined ? undefined : takenIn([first], run)
  if (first === undefined || taken === undefined) return
  const made = ledger.of(run).filter(({ at }) => at < first.startedAt).map(({ key }) => key)
  assert.includeMembers([...intended(taken)], made, `${run}: a call before it was written down`)
}

/** How a run fared whose service was killed as its id says, and was started again, the last time by the last of these. */
const check = Effect.fnUntraced(function*(
  world: World,
  services: ReadonlyArray<Started>,
  run: string,
  heard: Client.Heard
) {
  const { url } = services.at(-1)!
  if ((yield* Client.attempt(() => Client.find(url, run))) === undefined) {
    assert.deepStrictEqual(Client.parse(heard.text), [], `${run}: lost`)
    assert.deepStrictEqual(world.ledger.of(run), [], `${run}: effects of a run that never was`)
    return undefined
  }
  const kept = yield* Client.attempt(() => Client.watch(url, run))
  checkEvents(run, heard, kept)
  const output = (yield* Client.attempt(() => Client.find(url, run)))!
  assert.include(["COMPLETED", "PAUSED"], output.status, `${run}: stuck`)
  checkIntents(world, run, services)
  checkEffects(world, run, output)
  checkUnknown(run, output, takenIn(services, run))
  return output.status
})

const killed = Effect.fnUntraced(function*({ ended, said }: Started, run: string) {
  assert.strictEqual(yield* ended, "SIGKILL", `${run}: ${said()}`)
})

/** The points that a run comes by in its first attempt when nothing happens to it. */
export const points = Effect.fnUntraced(function*({ start }: World) {
  const service = yield* start
  const run = Points.runIdOf(1, undefined)
  const heard = yield* Client.attempt(() => Client.start(service.url, run))
  assert.isTrue(heard.isWhole, heard.text)
  yield* service.saying(`point ${run} 1 finish.after.1`)
  const lines = service.said().split("\n").filter((line) => line.startsWith(`point ${run} 1 `))
  yield* service.end("SIGKILL")
  return lines.map((line) => line.split(" ")[3]!)
})

export interface Fate {
  readonly run: string
  readonly kills: number
  /** Undefined when the run was never accepted. */
  readonly status: string | undefined
}

/** A service that goes from one run to the next, and is another process after each. */
export const make = Effect.fnUntraced(function*(world: World) {
  let service = yield* world.start

  /** Kills it where a run is at a point. What is not reached any more is no kill. */
  const at = Effect.fnUntraced(function*(point: string) {
    const run = Points.runIdOf(1, point)
    const heard = yield* Client.attempt(() => Client.start(service.url, run))
    if (heard.isWhole) yield* service.end("SIGKILL")
    else yield* killed(service, run)
    service = yield* world.start
    const fate: Fate = { run, kills: heard.isWhole ? 0 : 1, status: yield* check(world, [service], run, heard) }
    return fate
  })

  /** Kills it in the middle of a run, and then where the run that goes on is at a point. */
  const twice = Effect.fnUntraced(function*(point: string) {
    const run = Points.runIdOf(2, point)
    const begun = service
    const until = (text: string) => text.includes("event: ToolCallCompleted")
    const heard = yield* Client.attempt(() => Client.start(begun.url, run, { until }))
    yield* begun.end("SIGKILL")
    // it may die while it starts, or when it has
    const second = yield* Effect.exit(world.start)
    const middle: Array<Started> = []
    let kills = 1
    if (second._tag === "Success") {
      middle.push(second.value)
      const kept = yield* Client.attempt(() => Client.watch(second.value.url, run))
      if (kept.isWhole && Client.parse(kept.text).length > 0) yield* second.value.end("SIGKILL")
      else {
        yield* killed(second.value, run)
        kills++
      }
    } else kills++
    service = yield* world.start
    const fate: Fate = { run, kills, status: yield* check(world, [...middle, service], run, heard) }
    return fate
  })

  return { at, twice }
})

/** What there is to say at the end. */
const summaryOf = (fates: ReadonlyArray<Fate>): string => {
  const count = (status: string | undefined) => fates.filter((fate) => fate.status === status).length
  const kills = fates.reduce((sum, fate) => sum + fate.kills, 0)
  return `${kills} kills, ${fates.length} runs: ${count("COMPLETED")} completed, ${
    count("PAUSED")
  } paused because nobody ` +
    `knows what a call did, ${count(undefined)} never accepted; 0 lost, 0 stuck, 0 done twice`
}

const progress = (line: string) => Effect.sync(() => process.stdout.write(`${line}\n`))

/** Every point in its turn, with a word from time to time. */
export const throughAll = Effect.fnUntraced(function*(
  name: string,
  all: ReadonlyArray<string>,
  kill: (point: string) => Effect.Effect<Fate, ServiceProcess.ServiceDidNotStart, Scope.Scope>
) {
  const fates: Array<Fate> = []
  for (const point of all) {
    fates.push(yield* kill(point))
    if (fates.length % 20 === 0) yield* progress(`${name}: ${fates.length} of ${all.length} points`)
  }
  yield* progress(`${name}: ${summaryOf(fates)}`)
  return fates.reduce((sum, { kills }) => sum + kills, 0)
})
