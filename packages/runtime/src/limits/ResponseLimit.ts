// The bytes of stored data that one answer may carry (RESPONSE_MAX_BYTES): the chat history of a session, or a list of
// its runs.
import { Context, Schema } from "effect"

export const defaultResponseLimit = 32 * 1024 * 1024

export const ResponseLimit = Context.Reference<number>("@svc/runtime/ResponseLimit", {
  defaultValue: () => defaultResponseLimit
})

const listings = {
  runs: ["The runs of this session", "/sessions/{session_id}/runs"],
  memories: ["The memories of this page", "/memories"],
  memoryUsers: ["The users of this page", "/user_memory_stats"],
  sessions: ["The sessions of this page", "/sessions"],
  learnings: ["The learnings of this page", "/learnings"],
  contents: ["The contents of this page", "/knowledge/content"],
  traces: ["The traces of this page", "/traces"],
  traceSessions: ["The sessions of this page", "/trace_session_stats"],
  evalRuns: ["The evaluation runs of this page", "/eval-runs"],
  configs: ["The configs of the component", "/components/{component_id}/configs"],
  datasetItems: ["The items of this page", "/datasets/{dataset_id}/items"],
  experimentItems: ["The items of this page", "/experiments/{experiment_id}/items"]
} as const

/** More than one answer may carry. */
export class ResponseTooLarge extends Schema.TaggedError<ResponseTooLarge>()("ResponseTooLarge", {
  subject: Schema.Literals([
    "runs",
    "memories",
    "memoryUsers",
    "sessions",
    "learnings",
    "contents",
    "traces",
    "traceSessions",
    "evalRuns",
    "configs",
    "datasetItems",
    "experimentItems"
  ]),
  bytes: Schema.Finite,
  limit: Schema.Finite
}) {
  override get message() {
    const [what, where] = listings[this.subject]
    const fewer = this.subject === "configs"
      ? `Leave out what is in them: GET ${where}?include_config=false`
      : `Ask for fewer at a time: GET ${where}?limit=20&page=1`
    return `${what} take ${this.bytes} bytes, more than one answer may carry (RESPONSE_MAX_BYTES is ${this.limit}). ` +
      fewer
  }
}
