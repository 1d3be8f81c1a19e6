// The messages of several runs as parameters of one statement.
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import { booleans, integers, json, texts } from "../sql/rows.ts"
import * as RunHistory from "./RunHistory.ts"

export interface Encoded {
  readonly roles: ReadonlyArray<string>
  readonly fromHistory: ReadonlyArray<boolean>
  readonly bodies: ReadonlyArray<string>
  /** The part of a run in later histories. */
  readonly historyBytes: number
}

export const encode = (run: AnyRun.Output): Encoded => {
  const messages = AnyRun.messagesOf(run)
  const bodies = messages.map(json)
  return {
    roles: messages.map(({ role }) => role),
    fromHistory: messages.map(({ from_history }) => from_history),
    bodies,
    historyBytes: RunHistory.bytesOf(run.status, messages, bodies)
  }
}

export const lengthOf = (texts: ReadonlyArray<string>): number => texts.reduce((sum, { length }) => sum + length, 0)

/** Places of the runs, which count from 1 as in the database, positions, roles, from history, bodies. */
export const columns = (runs: ReadonlyArray<Encoded>): ReadonlyArray<unknown> => [
  integers(runs.flatMap(({ bodies }, index) => bodies.map(() => index + 1))),
  integers(runs.flatMap(({ bodies }) => bodies.map((_, position) => position + 1))),
  texts(runs.flatMap(({ roles }) => roles)),
  booleans(runs.flatMap(({ fromHistory }) => fromHistory)),
  texts(runs.flatMap(({ bodies }) => bodies))
]
