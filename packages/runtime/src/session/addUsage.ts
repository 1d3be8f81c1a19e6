// Counts a request of a background job in memory: on its session, and in the usage of the hour.
import * as Session from "@svc/domain/Session"
import type * as Time from "@svc/domain/Time"
import * as Usage from "@svc/domain/Usage"
import * as UsageHour from "@svc/domain/UsageHour"
import { Option } from "effect"
import type { MemoryDatabase } from "../inMemory/MemoryDatabase.ts"
import { markDayChanged } from "./markDayChanged.ts"
import type { SessionComponent } from "./SessionStore.ts"

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
