// Where the changes of a run are sent to.
import type * as Run from "@svc-runtime/domain/Run"
import type * as Session from "@svc-runtime/domain/Session"
import { Schema } from "effect"

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

const fields = ["version", "url", "token", "scheme", "credentials"] as const

/** Whether a call of one is a call of the other, of configs with the same id. */
export const isSame = (one: TaskPush, other: TaskPush): boolean => fields.every((field) => one[field] === other[field])

export class TaskPushesFull extends Schema.TaggedError<TaskPushesFull>()("TaskPushesFull", {}) {
  override get message() {
    return `A task has at most ${maxPerRun} push notification configs`
  }
}
