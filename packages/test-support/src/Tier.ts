// Two tiers of tests. `npm test` runs the fast tier: the same tests and the same cases each time. `npm run test:whole`
// runs all of them. Files named *.whole.test.ts belong to the second tier, too, and files named *.browser.test.ts run
// when they are named (vitest.shared.ts).
import { beforeAll, beforeEach, type RunnerTestCase, type RunnerTestSuite } from "vitest"

/** For single tests that take long: `it.effect.runIf(Tier.isWhole)`. */
export const isWhole = process.env["SVC_TEST_WHOLE"] === "true"

/** `count` members, spread evenly. With another `from` they are other ones: a loop over lists covers more of them. */
const spread = <A>(members: ReadonlyArray<A>, count: number, from: number): ReadonlySet<A> => {
  const { length } = members
  const places = Array.from(
    { length: Math.min(count, length) },
    (_, index) => (Math.floor((index + 0.5) * length / Math.min(count, length)) + from) % length
  )
  return new Set(places.map((place) => members[place]!))
}

/** The fast tier takes `count` cases of each class, in their order. The whole tier takes all. */
export const ofEach = <A>(
  all: ReadonlyArray<A>,
  count: number,
  classOf: (one: A) => unknown,
  from = 0
): ReadonlyArray<A> => {
  if (isWhole) return all
  const places = new Map<unknown, Array<number>>()
  all.forEach((one, place) => places.set(classOf(one), [...places.get(classOf(one)) ?? [], place]))
  const taken = new Set([...places.values()].flatMap((members) => [...spread(members, count, from)]))
  return all.filter((_, place) => taken.has(place))
}

/** The fast tier takes `count` cases of the list, spread evenly and in their order. The whole tier takes all. */
export const some = <A>(all: ReadonlyArray<A>, count: number, from = 0): ReadonlyArray<A> =>
  ofEach(all, count, () => "one class", from)

/** A number of random cases, of requests or of rounds. */
export const size = (fast: number, whole: number): number => isWhole ? whole : fast

/** A report shows it for each test that only the whole tier runs. */
const reason = "second tier: npm run test:whole, or npm run test:chaos -- --all, runs it"

/** Of each `describe`, the first test and each test that is a multiple of `step` behind it. */
const fastOf = ({ tasks }: Readonly<RunnerTestSuite>, step: number): ReadonlyArray<RunnerTestCase> => [
  ...tasks.filter((task) => task.type === "test" && task.mode !== "skip")
    .filter((_, place) => place % step === 0) as Array<RunnerTestCase>,
  ...tasks.flatMap((task) => task.type === "suite" ? fastOf(task, step) : [])
]

/**
 * Call it in a file or in a `describe` whose tests take long together. The fast tier runs the first test of each
 * `describe` and each test that is a multiple of `step` behind it. The whole tier runs all.
 */
export const oneIn = (step: number): void => {
  if (isWhole) return
  let fast: ReadonlySet<RunnerTestCase> = new Set()
  // oxlint-disable-next-line no-empty-pattern -- vitest refuses another first parameter
  beforeAll(({}, suite) => {
    fast = new Set(fastOf(suite, step))
  })
  beforeEach(({ skip, task }) => skip(!fast.has(task), reason))
}
