// Returns memory to the machine when the process rests. V8 collects garbage only when the program allocates, so without
// this a service that stands still would keep the memory of its start or of its last load.
// @effect-diagnostics globalTimers:off -- it also works while no Effect runs

/** What a collection costs must be little against the work since the last one, in microseconds of processor time. */
const enoughWork = 1_000_000

/** The process rests if it uses less of a second, for so many seconds. */
const littleWork = 50_000
const longEnough = 3

/** With a heap that takes longer to collect, in milliseconds, the pause is worse than the memory. */
const tooLong = 500

const used = () => {
  const { system, user } = process.cpuUsage()
  return system + user
}

/** A call per second. It returns whether it is the time to collect. */
export const watch = () => {
  let collected = 0
  let before = 0
  let quiet = 0
  return (used: number): boolean => {
    quiet = used - before < littleWork ? quiet + 1 : 0
    before = used
    if (quiet < longEnough || used - collected < enoughWork) return false
    collected = used
    return true
  }
}

/** `collect` collects the garbage of this thread. Does not keep the process running. */
export const start = (collect: () => void): void => {
  const isTime = watch()
  const timer = setInterval(() => {
    if (!isTime(used())) return
    const begun = performance.now()
    collect()
    if (performance.now() - begun > tooLong) clearInterval(timer)
  }, 1000)
  timer.unref()
}
