// One request for every endpoint of the API, about data that exists. A new endpoint has to be added here before the
// tests that walk over all of them pass.
import { componentRequests } from "./ComponentRequests.ts"
import { evaluationRequests } from "./EvaluationRequests.ts"
import { scheduleRequests } from "./ScheduleRequests.ts"
import { json, type Request, type Subject } from "./Subject.ts"
import { webhookRequests } from "./WebhookRequests.ts"

export type { Request, Subject } from "./Subject.ts"

const form = (fields: Readonly<Record<string, string>>): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/x-www-form-urlencoded" },
  body: new URLSearchParams(fields).toString()
})

export const requests: Readonly<Record<string, (subject: Subject) => Request>> = {
  "GET /": () => ({ path: "/" }),
  "GET /health": () => ({ path: "/health" }),
  "GET /ready": () => ({ path: "/ready" }),
  "GET /info": () => ({ path: "/info" }),
  "GET /caller": () => ({ path: "/caller" }),
  "GET /config": () => ({ path: "/config" }),
  "GET /nodes": () => ({ path: "/nodes" }),
  "GET /metrics/prometheus": () => ({ path: "/metrics/prometheus" }),
  "GET /models": () => ({ path: "/models" }),
  "POST /databases/all/migrate": () => ({ path: "/databases/all/migrate", init: { method: "POST" } }),
  "POST /databases/:db_id/migrate": () => ({ path: "/databases/main-db/migrate", init: { method: "POST" } }),
  "GET /databases/:db_id/migrations": () => ({ path: "/databases/main-db/migrations" }),
  "GET /registry": () => ({ path: "/registry" }),
  "GET /agents": () => ({ path: "/agents" }),
  "GET /agents/:agent_id": ({ agent }) => ({ path: `/agents/${agent}` }),
  "POST /agents/:agent_id/runs": ({ agent, session }) => ({
    path: `/agents/${agent}/runs`,
    init: form({ message: "hi", stream: "false", session_id: session, user_id: "ann", run_id: "new-run" })
  }),
  "GET /agents/:agent_id/runs": ({ agent, session }) => ({ path: `/agents/${agent}/runs?session_id=${session}` }),
  "GET /agents/:agent_id/runs/:run_id": ({ agent, run, session }) => ({
    path: `/agents/${agent}/runs/${run}?session_id=${session}`
  }),
  "GET /agents/:agent_id/runs/:run_id/checkpoints": ({ agent, run, session }) => ({
    path: `/agents/${agent}/runs/${run}/checkpoints?session_id=${session}`
  }),
  "GET /agents/:agent_id/runs/:run_id/checkpoints/:message_index": ({ agent, run, session }) => ({
    path: `/agents/${agent}/runs/${run}/checkpoints/0?session_id=${session}`
  }),
  "POST /agents/:agent_id/sessions/:session_id/fork": ({ agent, session }) => ({
    path: `/agents/${agent}/sessions/${session}/fork`,
    init: { method: "POST" }
  }),
  "GET /agents/:agent_id/runs/:run_id/events": ({ agent, run, session }) => ({
    path: `/agents/${agent}/runs/${run}/events?session_id=${session}`
  }),
  "POST /agents/:agent_id/runs/:run_id/resume": ({ agent, run, session }) => ({
    path: `/agents/${agent}/runs/${run}/resume`,
    init: form({ session_id: session })
  }),
  // a run that has ended is continued in a new one
  "POST /agents/:agent_id/runs/:run_id/continue": ({ agent, run, session }) => ({
    path: `/agents/${agent}/runs/${run}/continue`,
    init: form({ session_id: session, stream: "false" })
  }),
  "POST /agents/:agent_id/runs/:run_id/cancel": ({ agent, run, session }) => ({
    path: `/agents/${agent}/runs/${run}/cancel?session_id=${session}`,
    init: { method: "POST" }
  }),
  "GET /teams": () => ({ path: "/teams" }),
  "GET /teams/:team_id": () => ({ path: "/teams/desk" }),
  "POST /teams/:team_id/runs": ({ session }) => ({
    path: "/teams/desk/runs",
    init: form({
      message: "hi",
      stream: "false",
      session_id: `${session}-team`,
      user_id: "ann",
      run_id: "new-team-run"
    })
  }),
  "GET /teams/:team_id/runs": ({ session }) => ({ path: `/teams/desk/runs?session_id=${session}-team` }),
  "GET /teams/:team_id/runs/:run_id": ({ run, session }) => ({
    path: `/teams/desk/runs/${run}-team?session_id=${session}-team`
  }),
  "GET /teams/:team_id/runs/:run_id/checkpoints": ({ run, session }) => ({
    path: `/teams/desk/runs/${run}-team/checkpoints?session_id=${session}-team`
  }),
  "GET /teams/:team_id/runs/:run_id/checkpoints/:message_index": ({ run, session }) => ({
    path: `/teams/desk/runs/${run}-team/checkpoints/0?session_id=${session}-team`
  }),
  "POST /teams/:team_id/sessions/:session_id/fork": ({ session }) => ({
    path: `/teams/desk/sessions/${session}-team/fork`,
    init: { method: "POST" }
  }),
  "GET /teams/:team_id/runs/:run_id/events": ({ run, session }) => ({
    path: `/teams/desk/runs/${run}-team/events?session_id=${session}-team`
  }),
  "POST /teams/:team_id/runs/:run_id/resume": ({ run, session }) => ({
    path: `/teams/desk/runs/${run}-team/resume`,
    init: form({ session_id: `${session}-team` })
  }),
  "POST /teams/:team_id/runs/:run_id/continue": ({ run, session }) => ({
    path: `/teams/desk/runs/${run}-team/continue`,
    init: form({ session_id: `${session}-team`, stream: "false" })
  }),
  "POST /teams/:team_id/runs/:run_id/cancel": ({ run, session }) => ({
    path: `/teams/desk/runs/${run}-team/cancel?session_id=${session}-team`,
    init: { method: "POST" }
  }),
  "GET /workflows": () => ({ path: "/workflows" }),
  "GET /workflows/:workflow_id": () => ({ path: "/workflows/brief" }),
  "POST /workflows/:workflow_id/runs": ({ session }) => ({
    path: "/workflows/brief/runs",
    init: form({ message: "hi", stream: "false", session_id: `${session}-flow`, user_id: "ann", run_id: "new-flow" })
  }),
  "GET /workflows/:workflow_id/runs": ({ session }) => ({ path: `/workflows/brief/runs?session_id=${session}-flow` }),
  "GET /workflows/:workflow_id/runs/:run_id": ({ run, session }) => ({
    path: `/workflows/brief/runs/${run}-flow?session_id=${session}-flow`
  }),
  "GET /workflows/:workflow_id/runs/:run_id/events": ({ run, session }) => ({
    path: `/workflows/brief/runs/${run}-flow/events?session_id=${session}-flow`
  }),
  "POST /workflows/:workflow_id/runs/:run_id/resume": ({ run, session }) => ({
    path: `/workflows/brief/runs/${run}-flow/resume`,
    init: form({ session_id: `${session}-flow` })
  }),
  "POST /workflows/:workflow_id/runs/:run_id/continue": ({ run, session }) => ({
    path: `/workflows/brief/runs/${run}-flow/continue`,
    init: form({ session_id: `${session}-flow`, stream: "false" })
  }),
  "POST /workflows/:workflow_id/runs/:run_id/cancel": ({ run, session }) => ({
    path: `/workflows/brief/runs/${run}-flow/cancel?session_id=${session}-flow`,
    init: { method: "POST" }
  }),
  "GET /runs": () => ({ path: "/runs?user_id=ann" }),
  "GET /sessions": () => ({ path: "/sessions?user_id=ann" }),
  "POST /sessions": () => ({
    path: "/sessions",
    init: json("POST", { session_id: "new-session", session_name: "New", user_id: "ann" })
  }),
  "GET /sessions/:session_id": ({ session }) => ({ path: `/sessions/${session}?user_id=ann` }),
  "GET /media/:media_id": () => ({ path: "/media/none" }),
  "GET /sessions/:session_id/runs": ({ session }) => ({ path: `/sessions/${session}/runs?user_id=ann` }),
  "GET /sessions/:session_id/runs/:run_id": ({ run, session }) => ({
    path: `/sessions/${session}/runs/${run}?user_id=ann`
  }),
  "POST /sessions/:session_id/rename": ({ session }) => ({
    path: `/sessions/${session}/rename?user_id=ann`,
    init: json("POST", { session_name: "Renamed" })
  }),
  "PATCH /sessions/:session_id": ({ session }) => ({
    path: `/sessions/${session}?user_id=ann`,
    init: json("PATCH", { metadata: { changed: true } })
  }),
  "DELETE /sessions/:session_id": ({ session }) => ({
    path: `/sessions/${session}?user_id=ann`,
    init: { method: "DELETE" }
  }),
  "DELETE /sessions": ({ session }) => ({
    path: "/sessions?user_id=ann",
    init: json("DELETE", { session_ids: [session], session_types: ["agent"] })
  }),
  "POST /memories": () => ({
    path: "/memories",
    init: json("POST", { memory: "likes cake", topics: ["food"], user_id: "ann" })
  }),
  "GET /memories": () => ({ path: "/memories?user_id=ann" }),
  "GET /memories/:memory_id": ({ memory }) => ({ path: `/memories/${memory}?user_id=ann` }),
  "PATCH /memories/:memory_id": ({ memory }) => ({
    path: `/memories/${memory}`,
    init: json("PATCH", { memory: "likes coffee", user_id: "ann" })
  }),
  "DELETE /memories/:memory_id": ({ memory }) => ({
    path: `/memories/${memory}?user_id=ann`,
    init: { method: "DELETE" }
  }),
  "DELETE /memories": ({ memory }) => ({
    path: "/memories",
    init: json("DELETE", { memory_ids: [memory], user_id: "ann" })
  }),
  "GET /memory_topics": () => ({ path: "/memory_topics?user_id=ann" }),
  "GET /user_memory_stats": () => ({ path: "/user_memory_stats?user_id=ann" }),
  "POST /optimize-memories": () => ({
    path: "/optimize-memories",
    init: json("POST", { user_id: "ann", model: "fixed:fixed" })
  }),
  "POST /service-accounts": () => ({ path: "/service-accounts", init: json("POST", { name: "bot", scopes: [] }) }),
  "GET /service-accounts": () => ({ path: "/service-accounts" }),
  "DELETE /service-accounts/:service_account_id": ({ account }) => ({
    path: `/service-accounts/${account}`,
    init: { method: "DELETE" }
  }),
  "GET /approvals": () => ({ path: "/approvals?user_id=ann" }),
  "GET /approvals/count": () => ({ path: "/approvals/count?user_id=ann" }),
  "GET /approvals/:approval_id": ({ approval }) => ({ path: `/approvals/${approval}` }),
  "GET /approvals/:approval_id/status": ({ approval }) => ({ path: `/approvals/${approval}/status` }),
  "POST /approvals/:approval_id/resolve": ({ approval }) => ({
    path: `/approvals/${approval}/resolve`,
    init: json("POST", { status: "approved", resolved_by: "ann" })
  }),
  "DELETE /approvals/:approval_id": ({ approval }) => ({
    path: `/approvals/${approval}`,
    init: { method: "DELETE" }
  }),
  "GET /users/:user_id/memory-settings": () => ({ path: "/users/ann/memory-settings" }),
  "PUT /users/:user_id/memory-settings": () => ({
    path: "/users/ann/memory-settings",
    init: json("PUT", { enabled: true })
  }),
  "DELETE /users/:user_id/memory": () => ({ path: "/users/ann/memory", init: { method: "DELETE" } }),
  "POST /knowledge/content": () => ({
    path: "/knowledge/content?knowledge_id=none",
    init: form({ text_content: "a" })
  }),
  "POST /knowledge/remote-content": () => ({
    path: "/knowledge/remote-content?knowledge_id=none",
    init: form({ config_id: "none", path: "a" })
  }),
  "GET /knowledge/content": () => ({ path: "/knowledge/content?knowledge_id=none" }),
  "GET /knowledge/content/:content_id": () => ({ path: "/knowledge/content/none?knowledge_id=none" }),
  "PATCH /knowledge/content/:content_id": () => ({
    path: "/knowledge/content/none?knowledge_id=none",
    init: { ...form({ name: "a" }), method: "PATCH" }
  }),
  "DELETE /knowledge/content/:content_id": () => ({
    path: "/knowledge/content/none?knowledge_id=none",
    init: { method: "DELETE" }
  }),
  "DELETE /knowledge/content": () => ({
    path: "/knowledge/content?knowledge_id=none",
    init: { method: "DELETE" }
  }),
  "GET /knowledge/content/:content_id/status": () => ({ path: "/knowledge/content/none/status?knowledge_id=none" }),
  "POST /knowledge/search": () => ({
    path: "/knowledge/search",
    init: json("POST", { query: "a", knowledge_id: "none" })
  }),
  "GET /knowledge/config": () => ({ path: "/knowledge/config?knowledge_id=none" }),
  "GET /knowledge/:knowledge_id/sources": () => ({ path: "/knowledge/none/sources" }),
  "GET /knowledge/:knowledge_id/sources/:source_id/files": () => ({ path: "/knowledge/none/sources/none/files" }),
  "GET /metrics": () => ({ path: "/metrics" }),
  "GET /metrics/usage": () => ({ path: "/metrics/usage" }),
  "POST /metrics/refresh": () => ({ path: "/metrics/refresh", init: { method: "POST" } }),
  "GET /metrics/refresh/status": () => ({ path: "/metrics/refresh/status" }),
  "GET /learnings": () => ({ path: "/learnings?user_id=ann" }),
  "POST /learnings": () => ({
    path: "/learnings",
    init: json("POST", { learning_type: "decision_log", content: { decision: "Wait." }, user_id: "ann" })
  }),
  "GET /learnings/users": () => ({ path: "/learnings/users?user_id=ann" }),
  "DELETE /learnings/users/:user_id": () => ({ path: "/learnings/users/ann", init: { method: "DELETE" } }),
  "GET /learnings/:learning_id": ({ learning }) => ({ path: `/learnings/${learning}` }),
  "PATCH /learnings/:learning_id": ({ learning }) => ({
    path: `/learnings/${learning}`,
    init: json("PATCH", { content: {} })
  }),
  "DELETE /learnings/:learning_id": ({ learning }) => ({
    path: `/learnings/${learning}`,
    init: { method: "DELETE" }
  }),
  "GET /traces": () => ({ path: "/traces?user_id=ann" }),
  "GET /traces/filter-schema": () => ({ path: "/traces/filter-schema" }),
  "GET /traces/:trace_id": () => ({ path: `/traces/${"f".repeat(32)}` }),
  "GET /trace_session_stats": () => ({ path: "/trace_session_stats?user_id=ann" }),
  "POST /traces/search": () => ({ path: "/traces/search", init: json("POST", {}) }),
  ...evaluationRequests,
  ...componentRequests,
  ...scheduleRequests,
  ...webhookRequests
}
