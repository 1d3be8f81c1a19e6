// Samples of points, and of similar tests, which take seconds each.
import { it } from "@effect/vitest"
import * as Sample from "@svc/testing/Sample"

export * from "@svc/testing/Sample"

/** `it.live` by the key of each test. `count` tests of the group are drawn, and the others are shown as skipped. */
export const tests = <Key extends string>(name: string, keys: ReadonlyArray<Key>, count: number) => {
  const drawn = Sample.of(name, keys, count)
  const sampled = Object.fromEntries(keys.map((key) => [key, it.live.runIf(drawn.includes(key))]))
  return { ...sampled as { readonly [key in Key]: ReturnType<typeof it.live.runIf> }, live: it.live }
}
