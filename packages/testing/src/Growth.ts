// Whether work takes time in proportion to its size, on a machine of any speed and under load. Time is that of the
// processor for this thread, which does not pass while other processes have it.
import { assert } from "vitest"

const tries = 5
const factor = 8

const millisOf = (work: () => void): number => {
  const before = process.threadCpuUsage()
  work()
  const { system, user } = process.threadCpuUsage(before)
  return (system + user) / 1000
}

/** The fastest of several: other load on the machine can only slow a try down. */
const fastest = (work: () => void): number => Math.min(...Array.from({ length: tries }, () => millisOf(work)))

/** Eight times the size takes about 8 times as long if the work is linear, and 64 times if it is quadratic. */
export const assertLinear = (size: number, work: (size: number) => void): void => {
  work(size)
  const small = fastest(() => work(size))
  const large = millisOf(() => work(factor * size))
  // below a millisecond the clock and the compiler count for more than the work
  const limit = 3 * factor * Math.max(small, 1)
  if (large <= limit) return
  const again = fastest(() => work(factor * size))
  assert.isAtMost(again, limit, `${factor} times the size took ${Math.round(again / small)} times as long`)
}
