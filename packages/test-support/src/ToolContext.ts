// What a tool gets of a run, for tests that call it without one.
import * as Run from "@svc-runtime/domain/Run"
import * as Session from "@svc-runtime/domain/Session"

export const toolContext = {
  agentId: "agent",
  runId: Run.Id.make("run"),
  sessionId: Session.Id.make("session"),
  userId: undefined,
  sessionState: {},
  dependencies: {},
  metadata: {},
  toolCallId: "call",
  emit: () => {},
  effectId: "run.0.0",
  isCancelled: () => false,
  enqueue: () => Promise.reject(new Error("There is no database"))
}
