// Stored data that is more than one response may carry (RESPONSE_MAX_BYTES).
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Effect, Schema, Struct } from "effect"
import * as ReadLimiter from "./ReadLimiter.ts"

const page = (path: string) => `Ask for fewer at a time: GET ${path}?limit=20&page=1`

/** What is too large, and what the caller can ask for instead. */
const subjects = {
  runs: ["The runs of this session", page("/sessions/{session_id}/runs")],
  componentRuns: ["The runs of this page", page("/workflows/{workflow_id}/runs")],
  memories: ["The memories of this page", page("/memories")],
  memoryUsers: ["The users of this page", page("/user_memory_stats")],
  sessions: ["The sessions of this page", page("/sessions")],
  learnings: ["The learnings of this page", page("/learnings")],
  contents: ["The contents of this page", page("/knowledge/content")],
  traces: ["The traces of this page", page("/traces")],
  foundTraces: ["The traces of this page", "Ask for fewer at a time: POST /traces/search with a smaller limit"],
  trace: ["The spans of the trace", "Ask for one of them: GET /traces/{trace_id}?span_id=SPAN_ID"],
  traceSessions: ["The sessions of this page", page("/trace_session_stats")],
  evalRuns: ["The evaluation runs of this page", page("/eval-runs")],
  configs: [
    "The configs of the component",
    "Leave out what is in them: GET /components/{component_id}/configs?include_config=false"
  ],
  datasetItems: ["The items of this page", page("/datasets/{dataset_id}/items")],
  experimentItems: ["The items of this page", page("/experiments/{experiment_id}/items")]
} as const

/** More than one response may carry. */
export class ResponseTooLarge extends Schema.TaggedError<ResponseTooLarge>()("ResponseTooLarge", {
  subject: Schema.Literals(Struct.keys(subjects)),
  bytes: Schema.Finite,
  limit: Schema.Finite
}) {
  override get message() {
    const [what, instead] = subjects[this.subject]
    const limit = `more than one response may carry (RESPONSE_MAX_BYTES is ${this.limit})`
    return `${what} take ${this.bytes} bytes, ${limit}. ${instead}`
  }
}

/**
 * For JSON that is parsed next: fails if it is more than one response may carry, and otherwise waits for room in the
 * memory of all responses.
 */
export const admit = (
  subject: ResponseTooLarge["subject"],
  bytes: number,
  limit: number
): Effect.Effect<void, ResponseTooLarge | StorageUnavailable> =>
  bytes > limit
    ? Effect.fail(new ResponseTooLarge({ subject, bytes, limit }))
    : ReadLimiter.admit(Effect.succeed({ parsed: bytes }))
