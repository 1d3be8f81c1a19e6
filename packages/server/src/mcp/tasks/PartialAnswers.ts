// Answers to some of the questions of a task, until the others arrive. They are in the memory of this process, so their
// bytes are bounded: the oldest ones are forgotten, and their questions are asked again.
import type { Answer } from "@svc-runtime/protocols/pause/Answer"

type Answers = ReadonlyMap<string, Answer>

/** Of all tasks. */
export const defaultLimits = { tasks: 1000, characters: 16 * 1024 * 1024 }

export const make = (limits = defaultLimits) => {
  const kept = new Map<string, { readonly answers: Answers; readonly size: number }>()
  let size = 0

  const forget = (run_id: string): void => {
    size -= kept.get(run_id)?.size ?? 0
    kept.delete(run_id)
  }

  return {
    of: (run_id: string): Answers => kept.get(run_id)?.answers ?? new Map(),
    set: (run_id: string, answers: Answers): void => {
      forget(run_id)
      if (answers.size === 0) return
      const own = JSON.stringify([...answers]).length
      kept.set(run_id, { answers, size: own })
      size += own
      for (const oldest of kept.keys()) {
        if (kept.size <= limits.tasks && size <= limits.characters) return
        forget(oldest)
      }
    }
  }
}
