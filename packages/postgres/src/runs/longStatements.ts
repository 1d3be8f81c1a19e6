// Limits how many long statements are executed at once: a few in all, and one per session, so that a locked or large
// session blocks one connection only.
import { Effect, Semaphore } from "effect"

interface Line {
  readonly turn: Semaphore.Semaphore
  users: number
}

export type LongStatements = (session: string) => <A, E, R>(statement: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

export const make = (maxAtOnce: number): LongStatements => {
  const all = Semaphore.makeUnsafe(maxAtOnce)
  const lines = new Map<string, Line>()

  const lineOf = (session: string): Line => {
    const known = lines.get(session)
    if (known !== undefined) return known
    const line: Line = { turn: Semaphore.makeUnsafe(1), users: 0 }
    lines.set(session, line)
    return line
  }

  return (session) => (statement) =>
    Effect.suspend(() => {
      const line = lineOf(session)
      line.users++
      return Effect.ensuring(
        line.turn.withPermit(all.withPermit(statement)),
        Effect.sync(() => {
          if (--line.users === 0) lines.delete(session)
        })
      )
    })
}
