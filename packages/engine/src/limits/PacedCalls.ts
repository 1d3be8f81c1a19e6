// Many short functions that have to run at the same time, as when thousands wait for one event. Only some run in each
// turn of the event loop, so that the node responds to other requests in between. Few functions run at once.
import { MixedScheduler } from "effect/Scheduler"

/** Its tasks run in the next turn. */
const nextTurn = new MixedScheduler().makeDispatcher()

export interface PacedCalls {
  /** Runs the function now, or in a later turn, after the functions added before it. It does not throw. */
  readonly add: (call: () => void) => void
}

export const make = (perTurn: number): PacedCalls => {
  let waiting: Array<() => void> = []
  let next = 0
  let left = perTurn
  let isScheduled = false

  const schedule = () => {
    if (isScheduled) return
    isScheduled = true
    nextTurn.scheduleTask(turn, 0)
  }

  const turn = () => {
    isScheduled = false
    left = perTurn
    while (left > 0 && next < waiting.length) {
      left--
      waiting[next++]?.()
    }
    if (next < waiting.length) return schedule()
    waiting = []
    next = 0
  }

  return {
    add: (call) => {
      schedule()
      if (left === 0 || waiting.length > 0) return void waiting.push(call)
      left--
      call()
    }
  }
}
