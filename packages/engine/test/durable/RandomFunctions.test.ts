// Random functions of steps in sequence and in parallel, with other waiting between them, as promises and as Effects.
// Each is killed again and again, after a few entries. It gives its result, and no step that has ended is done again.
import { assert, describe, it } from "@effect/vitest"
import * as Seed from "@svc-runtime/test-support/Seed"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { CallFailed, type Durable } from "../../src/durable/Durable.ts"
import * as Memory from "./Memory.ts"

type Node =
  | { readonly type: "step"; readonly name: string; readonly fails: boolean }
  | { readonly type: "sequence" | "parallel"; readonly parts: ReadonlyArray<Node> }

type Random = (below: number) => number

const randomOf = (name: string): Random => {
  const next = Seed.random(name)
  return (below) => Math.floor(next() * below)
}

const make = (random: Random, depth: number, names: { count: number }): Node => {
  if (depth === 0 || random(3) === 0) return { type: "step", name: `step ${names.count++}`, fails: random(3) === 0 }
  const type = random(2) === 0 ? "sequence" : "parallel"
  return { type, parts: Array.from({ length: 1 + random(3) }, () => make(random, depth - 1, names)) }
}

type Result = string | ReadonlyArray<Result>

const resultOf = (node: Node): Result =>
  node.type === "step" ? (node.fails ? `no ${node.name}` : node.name) : node.parts.map(resultOf)

interface World {
  readonly random: Random
  readonly done: Array<string>
}

const act = ({ done }: World, { fails, name }: Extract<Node, { readonly type: "step" }>) => () => {
  done.push(name)
  return fails ? Effect.fail(new CallFailed({ kind: "Error", message: `no ${name}` })) : Effect.succeed(name)
}

const read = { effects: "read" } as const

const asPromises = async (node: Node, durable: Durable, world: World): Promise<Result> => {
  await Memory.turns(world.random(4))
  if (node.type === "step") {
    return durable.step(node.name, act(world, node), read).catch(({ message }: Error) => message)
  }
  if (node.type === "parallel") return Promise.all(node.parts.map((part) => asPromises(part, durable, world)))
  const results: Array<Result> = []
  for (const part of node.parts) results.push(await asPromises(part, durable, world))
  return results
}

const asEffects = (node: Node, durable: Durable, world: World): Effect.Effect<Result> =>
  Effect.gen(function*() {
    yield* Effect.promise(() => Memory.turns(world.random(4)))
    if (node.type === "step") {
      const called = durable.asEffect.step(node.name, act(world, node), read)
      return yield* Effect.catch(called, ({ message }) => Effect.succeed(message))
    }
    const parts = node.parts.map((part) => asEffects(part, durable, world))
    return yield* Effect.all(parts, node.type === "parallel" ? { concurrency: "unbounded" } : {})
  })

const endedIn = (entries: Memory.Entries): ReadonlySet<unknown> => {
  const names = new Map(entries.flatMap(({ call, kind, what }) => kind === "begun" ? [[call, what]] : []))
  return new Set(entries.flatMap(({ call, kind }) => kind === "ended" ? [names.get(call)] : []))
}

describe.each([["promises", asPromises], ["Effects", asEffects]] as const)("a random function of %s", (kind, run) => {
  it.effect("the function gives its result, however often it is killed, and repeats no step that has ended", () =>
    Effect.gen(function*() {
      for (let index = 0; index < Tier.size(60, 1000); index++) {
        const random = randomOf(`${kind} ${index}`)
        const world: World = { random, done: [] }
        const node = make(random, 3, { count: 0 })
        const { entries, live } = Memory.make((durable) => run(node, durable, world))
        const about = () => JSON.stringify({ seed: Seed.seed, index, node, entries })
        let end: Memory.End = { _tag: "Killed" }
        while (end._tag === "Killed") {
          const before = endedIn(entries)
          const { length } = world.done
          end = yield* live(random(5) === 0 ? {} : { after: random(6) })
          const repeated = world.done.slice(length).filter((name) => before.has(`step(${name})`))
          assert.deepStrictEqual(repeated, [], about())
        }
        assert.deepStrictEqual(end, { _tag: "Gave", value: resultOf(node) }, about())
      }
    }))
})
