// Which cases of a long list a test tries: a few, drawn anew in each run, or every one. One seed draws the same ones
// again, whichever files run beside each other and in whichever order.
import { beforeAll, beforeEach, type RunnerTestCase, type RunnerTestSuite } from "vitest"

const variables = { seed: "SVC_TEST_SEED", whole: "SVC_TEST_WHOLE" }

/** The global setup of vitest draws one for each run. */
export const seed = Number(process.env[variables.seed] ?? 20_261_121)
const isWhole = process.env[variables.whole] === "true"

/** Numbers from 0 to less than 1 that depend on the seed and on a name. */
export const dice = (name: string): () => number => {
  let state = seed
  for (const letter of name) state = Math.imul(state ^ letter.charCodeAt(0), 0x01000193)
  state >>>= 0
  return () => {
    state = (state + 0x6D2B79F5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** `count` of them of each class, in their order; all of them where every case is tried. */
export const ofEach = <A>(
  name: string,
  all: ReadonlyArray<A>,
  count: number,
  classOf: (one: A) => unknown
): ReadonlyArray<A> => {
  if (isWhole) return all
  const random = dice(name)
  const ranks = all.map(() => random())
  const places = new Map<unknown, Array<number>>()
  all.forEach((one, place) => places.set(classOf(one), [...places.get(classOf(one)) ?? [], place]))
  return [...places.values()]
    .flatMap((members) => members.toSorted((left, right) => ranks[left]! - ranks[right]!).slice(0, count))
    .toSorted((left, right) => left - right)
    .map((place) => all[place]!)
}

/** `count` of them, in their order; all of them where every case is tried. */
export const of = <A>(name: string, all: ReadonlyArray<A>, count: number): ReadonlyArray<A> =>
  ofEach(name, all, count, () => "one class")

/** How many of something there are: less where only a sample is taken. */
export const size = (sample: number, whole: number): number => isWhole ? whole : sample

/** Shown for each test that is skipped. */
export const notDrawn = "not drawn in this run; npm run test:whole, or npm run test:chaos -- --all, runs it"

/** Skips the tests of the file, or of the `describe`, that calls this. */
export const skipUnless = (isDrawn: boolean): void => {
  if (!isDrawn && !isWhole) beforeEach(({ skip }) => skip(notDrawn))
}

const testsOf = ({ tasks }: Readonly<RunnerTestSuite>): ReadonlyArray<RunnerTestCase> =>
  tasks.flatMap((task) => task.type === "suite" ? testsOf(task) : task.mode === "skip" ? [] : [task])

/** Of the tests of the file, or of the `describe`, that calls this, one in `parts` is drawn. The others are skipped. */
export const oneTestIn = (parts: number): void => {
  if (isWhole) return
  let drawn: ReadonlySet<RunnerTestCase> = new Set()
  // oxlint-disable-next-line no-empty-pattern -- vitest refuses another first parameter
  beforeAll(({}, suite) => {
    const tests = testsOf(suite)
    drawn = new Set(of(`${suite.file.name} ${suite.name}`, tests, Math.ceil(tests.length / parts)))
  })
  beforeEach(({ skip, task }) => skip(!drawn.has(task), notDrawn))
}
