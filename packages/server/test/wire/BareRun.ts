// The keys that the response of every completed run has.

export const bare = [
  "run_id",
  "agent_id",
  "agent_name",
  "session_id",
  "content",
  "content_type",
  "model",
  "model_provider",
  "session_state",
  "created_at",
  "status",
  "metrics",
  "messages",
  "input"
]
