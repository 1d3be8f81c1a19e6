// Who learns of the end of an attempt of a schedule.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import * as Schedule from "../Schedule.ts"
import { Scheduling } from "../Scheduling.ts"

const [one, other] = [Schedule.RunId.make("one"), Schedule.RunId.make("other")]

/** The signals between nodes, as this node sends and receives them. */
const recorded = () => {
  const published: Array<string> = []
  const followers = new Map<string, () => void>()
  return {
    published,
    followers,
    signals: {
      publish: (topic: string) => void published.push(topic),
      follow: (topic: string, onSignal: () => void) => {
        followers.set(topic, onSignal)
        return () => void followers.delete(topic)
      }
    }
  }
}

const waiting = Effect.gen(function*() {
  const scheduling = yield* Scheduling
  return yield* Effect.forkChild(scheduling.ends.awaiting(one, (ended) => ended), { startImmediately: true })
})

describe("the end of an attempt of a schedule", () => {
  it.effect("a request waits for the end of its attempt, and not for that of another one", () =>
    Effect.gen(function*() {
      const scheduling = yield* Scheduling
      const requests = [yield* waiting, yield* waiting]
      scheduling.ends.ended(other)
      yield* Effect.yieldNow
      assert.isTrue(requests.every((request) => request.pollUnsafe() === undefined))
      scheduling.ends.ended(one)
      yield* Fiber.joinAll(requests)
    }).pipe(Effect.provide(Scheduling.layer())))

  it.effect("an attempt that another node ends is signalled, and no longer followed when the request has its response", () =>
    Effect.gen(function*() {
      const { followers, published, signals } = recorded()
      const scheduling = yield* Scheduling
      scheduling.ends.connect(signals)
      const request = yield* waiting
      assert.deepStrictEqual([...followers.keys()], ["schedule run one"])
      followers.get("schedule run one")?.()
      yield* Fiber.join(request)
      assert.strictEqual(followers.size, 0)
      scheduling.ends.ended(other)
      assert.deepStrictEqual(published, ["schedule run other"])
    }).pipe(Effect.provide(Scheduling.layer())))
})
