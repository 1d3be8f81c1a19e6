// How a run in memory comes into its session: whether it may, and what it changes there.
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import * as Session from "@svc-runtime/domain/Session"
import type { NewRun } from "@svc-runtime/engine/run/store/RunWrites"

export const newSession = (newRun: NewRun): Session.Session => ({
  session_id: newRun.session_id,
  session_type: newRun.kind,
  ...ComponentKind.idsOf(newRun.kind, newRun.component_id),
  user_id: newRun.user_id,
  session_name: null,
  derived_name: newRun.derived_name,
  session_state: {},
  session_metrics: {},
  component_data: newRun.component_data,
  metadata: newRun.component_metadata,
  summary: null,
  created_at: newRun.created_at,
  updated_at: newRun.created_at
})

const isChanged = (session: Session.Session, admitted: Session.Session): boolean =>
  (Object.keys(admitted) as ReadonlyArray<keyof Session.Session>).some((key) =>
    key === "component_data"
      ? JSON.stringify(admitted[key]) !== JSON.stringify(session[key])
      : admitted[key] !== session[key]
  )

/** Whether the user may run in the session. Callers who are not isolated may use data without an owner. */
const isOpenTo = (session: Session.Session, { isolated, user_id }: NewRun): boolean =>
  session.user_id === null ? !isolated : session.user_id === user_id

/** The session with the data of a new run. Undefined if the run may not use it. */
export const admit = (session: Session.Session, newRun: NewRun): Session.Session | undefined => {
  if (session.session_type !== newRun.kind) return undefined
  const component = Session.componentIdOf(session)
  if (component !== null && component !== newRun.component_id) return undefined
  if (!isOpenTo(session, newRun)) return undefined
  const fresh = newSession(newRun)
  const admitted = {
    ...session,
    agent_id: fresh.agent_id,
    team_id: fresh.team_id,
    workflow_id: fresh.workflow_id,
    user_id: session.user_id ?? newRun.user_id,
    derived_name: session.derived_name ?? newRun.derived_name,
    session_state: session.session_state ?? {},
    session_metrics: session.session_metrics ?? {},
    component_data: newRun.component_data,
    metadata: session.metadata ?? newRun.component_metadata
  }
  return isChanged(session, admitted) ? { ...admitted, updated_at: newRun.created_at } : session
}
