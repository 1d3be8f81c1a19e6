// Where the changes of a run are sent to. The token and the credentials are secrets, which are stored sealed.
import type * as Run from "@svc-runtime/domain/Run"
import type * as Session from "@svc-runtime/domain/Session"
import type { Secrets, SecretUnreadable } from "@svc-runtime/http/calls/Secrets"
import { Effect, Redacted, Schema } from "effect"

/** The configs that a run can have. */
export const maxPerRun = 10

export interface TaskPush {
  readonly run_id: Run.Id
  /** Unique within the run. */
  readonly id: string
  /** The version of the protocol in which it was made. */
  readonly version: "0.3" | "1.0"
  readonly url: string
  readonly token: string | null
  readonly scheme: string | null
  readonly credentials: string | null
}

export interface StoredTaskPush extends TaskPush {
  readonly session_id: Session.Id
  /** The last change that was delivered. Null before the first one. */
  readonly delivered: string | null
}

/** What its secrets are sealed for. */
export const rowOf = ({ id, run_id }: Pick<TaskPush, "id" | "run_id">): string => `task-push:${run_id}:${id}`

const fields = ["version", "url", "token", "scheme", "credentials"] as const

/** Whether a call of one is a call of the other, of configs with the same id. */
export const isSame = (one: TaskPush, other: TaskPush): boolean => fields.every((field) => one[field] === other[field])

export class TaskPushesFull extends Schema.TaggedError<TaskPushesFull>()("TaskPushesFull", {}) {
  override get message() {
    return `A task has at most ${maxPerRun} push notification configs`
  }
}

type Inside = Pick<TaskPush, "credentials" | "id" | "run_id" | "token">

const each = <A extends Inside, E>(push: A, change: (row: string, text: string) => Effect.Effect<string, E>) => {
  const changed = (text: string | null) => text === null ? Effect.succeed(text) : change(rowOf(push), text)
  return Effect.map(
    Effect.all([changed(push.token), changed(push.credentials)]),
    ([token, credentials]): A => ({ ...push, token, credentials })
  )
}

/** As it is stored. */
export const sealed = <A extends Inside>({ seal }: Secrets["Service"], push: A): Effect.Effect<A> =>
  each(push, (row, text) => seal(row, Redacted.make(text)))

/** As it is used. */
export const opened = <A extends Inside>(
  { open }: Secrets["Service"],
  push: A
): Effect.Effect<A, SecretUnreadable> => each(push, (row, text) => Effect.map(open(row, text), Redacted.value))
