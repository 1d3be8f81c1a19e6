// Counts a request of a background job in memory: on its session, and in the usage of the hour.
import * as Session from "@svc-runtime/domain/Session"
import type * as Time from "@svc-runtime/domain/Time"
import * as Usage from "@svc-runtime/domain/Usage"
import * as UsageHour from "@svc-runtime/domain/UsageHour"
import type { SessionComponent } from "@svc-runtime/engine/session/SessionStore"
import { Option } from "effect"
import { markDayChanged, type MemoryDatabase } from "./MemoryDatabase.ts"

export const addUsage = (
  database: MemoryDatabase["Service"],
  id: Session.Id,
  request: Usage.Request,
  at: Time.EpochSeconds
): Option.Option<SessionComponent> => {
  const stored = database.sessions.get(id)
  if (stored === undefined) return Option.none()
  const { isEvaluation = false, session } = stored
  const usage = Usage.ofRequest(request)
  const session_metrics = Usage.addToSession(session.session_metrics ?? {}, usage)
  database.sessions.set(id, { ...stored, session: { ...session, session_metrics } })
  markDayChanged(database, session)
  const component = { kind: session.session_type, id: Session.componentIdOf(session) ?? "" }
  if (!isEvaluation) {
    database.endedRuns.push({
      hour: UsageHour.hourOf(at),
      kind: component.kind,
      component_id: component.id,
      user_id: session.user_id ?? "",
      model_id: request.model.id,
      model_provider: request.model.provider,
      status: UsageHour.background,
      runs: 1,
      durations: [],
      first_tokens: [],
      usages: [usage]
    })
  }
  return Option.some(component)
}
