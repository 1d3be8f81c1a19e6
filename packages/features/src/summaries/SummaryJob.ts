// The background job that summarizes a session after a run. It is stored with the end of the run, and a session has one
// at a time. What it has stored stays, so a repeated attempt reads the other runs.
import type { Agent } from "@svc-runtime/agents/agent/define/Agent"
import * as JobModel from "@svc-runtime/agents/agent/read/JobModel"
import * as JobUsage from "@svc-runtime/agents/agent/read/JobUsage"
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import * as Session from "@svc-runtime/domain/Session"
import * as JobKind from "@svc-runtime/engine/jobs/JobKind"
import * as Jobs from "@svc-runtime/engine/jobs/Jobs"
import * as JobsAfterRun from "@svc-runtime/engine/jobs/JobsAfterRun"
import { MemorySettingsStore } from "@svc-runtime/engine/session/MemorySettingsStore"
import { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import { Effect, Schema } from "effect"
import type { RunSessions } from "./RunSessions.ts"
import * as SummaryUpdate from "./SummaryUpdate.ts"

const Payload = Schema.Struct({
  session_id: Session.Id,
  ...JobModel.fields,
  /** The session is summarized if it has this many new runs, or bytes of messages. */
  runs: Schema.Natural,
  bytes: Schema.Natural,
  instructions: Schema.optionalKey(Schema.String)
})
type Payload = typeof Payload.Type

const shape = {
  name: "session-summary",
  payload: Payload,
  concurrency: 2,
  maxAttempts: 4,
  timeout: "5 minutes",
  retryDelay: "5 seconds"
} as const

/** How many summaries a job makes of a session that was not summarized for long. */
const maxPieces = 20

const enqueued = JobKind.withoutHandler(shape)

/** The attempt is repeated with the changed summary. */
class SummaryOutdated extends Schema.TaggedError<SummaryOutdated>()("SummaryOutdated", {}) {
  override get message() {
    return "The summary of the session was changed while the next one was made"
  }
}

/** The job after a run with which the session is due. It is left out if it is too large for the service. */
export const after = (
  { componentId, kind, run_id, session_id, summaries, user_id }: RunSessions,
  agent: Pick<Agent, "fallbackModels" | "model">
): Effect.Effect<JobsAfterRun.JobsAfterRun> => {
  if (summaries === undefined || summaries.inline) return Effect.succeed([])
  const { instructions, model = agent.model, threshold } = summaries
  const { agent_id, team_id } = ComponentKind.idsOf(kind, componentId)
  const payload: Payload = {
    session_id,
    agent_id,
    team_id,
    ...threshold,
    ...JobModel.of(model, agent),
    ...(instructions === undefined ? {} : { instructions })
  }
  return Jobs.newJob(enqueued, payload, { key: session_id, user_id, session_id }).pipe(
    Effect.map((job) => [{ ...job, id: JobsAfterRun.idOf(shape.name, run_id), ifDue: threshold, ifMemoryOn: true }]),
    Effect.catchTag(
      "JobInvalid",
      (error) => Effect.as(Effect.logWarning("A session is not summarized after a run", error), [])
    )
  )
}

export const kind = Effect.fnUntraced(function*(sources: JobModel.Sources) {
  const [sessions, settings] = [yield* SessionStore, yield* MemorySettingsStore]
  const [modelsOf, usageOf] = [yield* JobModel.make(sources), yield* JobUsage.make]

  const handle = Effect.fnUntraced(function*({ bytes, instructions, runs, session_id, ...of }: Payload) {
    const models = yield* modelsOf(of, ({ sessionSummaries }) => sessionSummaries?.model)
    for (let piece = 0; piece < maxPieces; piece++) {
      const outcome = yield* SummaryUpdate.run({
        sessions,
        settings,
        models,
        session_id,
        threshold: { runs, bytes },
        instructions,
        onDue: () => {},
        onUsage: usageOf(session_id, "session_summary_model")
      })
      if (outcome._tag === "NotDue") return
      if (outcome._tag === "Outdated") return yield* new SummaryOutdated()
    }
  })

  return JobKind.make({ ...shape, handle })
})
