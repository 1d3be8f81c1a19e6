// Answers to some of the questions of a task, until the others arrive. They are in the memory of this process, so their
// bytes are bounded: the oldest ones are forgotten, and their questions are asked again.
import type { Answer } from "@svc-runtime/protocols/pause/Answer"

type Answers = ReadonlyMap<string, Answer>

/** Of all tasks, and of those of one caller, whose oldest answers are forgotten first. */
export const defaultLimits = {
  tasks: 1000,
  characters: 16 * 1024 * 1024,
  ofCaller: { tasks: 100, characters: 2 * 1024 * 1024 }
}

interface Kept {
  readonly answers: Answers
  readonly size: number
  readonly caller: string
}

export const make = (limits = defaultLimits) => {
  const kept = new Map<string, Kept>()

  const forgetOldest = (
    max: { readonly tasks: number; readonly characters: number },
    isOne: (one: Kept) => boolean
  ) => {
    const own = [...kept].filter(([, one]) => isOne(one))
    let [tasks, size] = [own.length, own.reduce((sum, [, one]) => sum + one.size, 0)]
    for (const [run_id, one] of own) {
      if (tasks <= max.tasks && size <= max.characters) return
      kept.delete(run_id)
      tasks--
      size -= one.size
    }
  }

  return {
    of: (run_id: string): Answers => kept.get(run_id)?.answers ?? new Map(),
    /** `caller`: who answers. */
    set: (run_id: string, answers: Answers, caller: string): void => {
      kept.delete(run_id)
      if (answers.size === 0) return
      kept.set(run_id, { answers, size: JSON.stringify([...answers]).length, caller })
      forgetOldest(limits.ofCaller, (one) => one.caller === caller)
      forgetOldest(limits, () => true)
    }
  }
}
