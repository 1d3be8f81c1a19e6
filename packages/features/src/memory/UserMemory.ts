// Whether agents may keep memories of a user, and what is removed of a user.
import { Schema } from "effect"

/** Whether agents may remember the user. Without a stored setting they may. */
export const Settings = Schema.Struct({ enabled: Schema.Boolean }).annotate({ identifier: "UserMemorySettings" })
export type Settings = typeof Settings.Type

export const Removed = Schema.Struct({
  memories: Schema.Natural,
  /** Derived from the memories, and removed with them. */
  vectors: Schema.Natural,
  learnings: Schema.Natural,
  /** Summaries of sessions. The sessions stay. */
  summaries: Schema.Natural,
  /** Background jobs that would have changed them. */
  jobs: Schema.Natural,
  /** Traces of the user's runs. Their prompts can contain memories. */
  traces: Schema.Natural,
  /** Scores that the user gave runs. */
  feedback: Schema.Natural
}).annotate({ identifier: "RemovedUserMemory" })
export type Removed = typeof Removed.Type
