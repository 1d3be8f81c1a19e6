// Whether work takes time in proportion to its size, on a machine of any speed and under load. Time is that of the
// processor for this thread, which does not pass while other processes have it. Its clock can have steps of several
// milliseconds, so short work is repeated until its time is many steps.
import { assert } from "vitest"

const tries = 5
const factor = 8

/** Milliseconds, many steps of a coarse clock. */
const shortest = 24
const maxTimes = 100_000

/** Milliseconds that the processor has worked for this thread. */
export const threadMillis = (): number => {
  const { system, user } = process.threadCpuUsage()
  return (system + user) / 1000
}

const millisOf = (work: () => void, times: number): number => {
  const before = threadMillis()
  for (let time = 0; time < times; time++) work()
  return threadMillis() - before
}

/** How often the work must be repeated to be measured, and how long one of these times takes. */
const measured = (work: () => void) => {
  for (let times = 1;; times *= 2) {
    const millis = millisOf(work, times)
    if (times >= maxTimes || millis >= shortest) return { times, once: millis / times }
  }
}

/** Of one time. The fastest of several: other load on the machine can only slow a try down. */
const fastest = (work: () => void, times: number): number =>
  Math.min(...Array.from({ length: tries }, () => millisOf(work, times))) / times

/** Eight times the size takes about 8 times as long if the work is linear, and 64 times if it is quadratic. */
export const assertLinear = (size: number, work: (size: number) => void): void => {
  work(size)
  const small = () => work(size)
  const large = () => work(factor * size)
  // below a millisecond the compiler and its caches count for more than the work
  const limitOf = (millis: number) => 3 * factor * Math.max(millis, 1)
  const { once: first, times } = measured(small)
  const largeTimes = Math.ceil(times / factor)
  const once = millisOf(large, largeTimes) / largeTimes
  if (once <= limitOf(first)) return
  const base = Math.max(fastest(small, times), 1)
  const limit = limitOf(base)
  // work that is slow for its size is long enough to be measured without repeats
  const again = fastest(large, Math.ceil(shortest / once))
  assert.isAtMost(again, limit, `${factor} times the size took ${Math.round(again / base)} times as long`)
}
