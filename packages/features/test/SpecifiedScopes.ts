// The endpoint and scope table of the specification, copied from its text: a path segment that names
// something is `*`.

const kinds = ["agents", "teams", "workflows"]

const ofKind = (kind: string): ReadonlyArray<readonly [scope: string, routes: ReadonlyArray<string>]> => [
  [`${kind}:read`, [`GET /${kind}`, `GET /${kind}/*`]],
  [`${kind}:write`, [`POST /${kind}`, `PATCH /${kind}/*`]],
  [`${kind}:delete`, [`DELETE /${kind}/*`]],
  [`${kind}:run`, [`POST /${kind}/*/runs`, `POST /${kind}/*/runs/*/continue`, `POST /${kind}/*/runs/*/cancel`]]
]

const a2aOfKind = (kind: string): ReadonlyArray<readonly [scope: string, routes: ReadonlyArray<string>]> => [
  [`${kind}:read`, [
    `GET /a2a/${kind}/*/.well-known/agent-card.json`,
    ...(kind === "workflows" ? [] : [`POST /a2a/${kind}/*/v1/tasks:get`])
  ]],
  [`${kind}:run`, [
    `POST /a2a/${kind}/*/v1/message:send`,
    `POST /a2a/${kind}/*/v1/message:stream`,
    ...(kind === "workflows" ? [] : [`POST /a2a/${kind}/*/v1/tasks:cancel`])
  ]]
]

const table: ReadonlyArray<readonly [scope: string, routes: ReadonlyArray<string>]> = [
  ["config:read", ["GET /config", "GET /models"]],
  ["config:write", ["POST /databases/all/migrate", "POST /databases/*/migrate"]],
  ["registry:read", ["GET /registry"]],
  ["components:read", [
    "GET /components",
    "GET /components/*",
    "GET /components/*/configs",
    "GET /components/*/configs/*",
    "GET /components/*/configs/current"
  ]],
  ["components:write", [
    "POST /components",
    "POST /components/*/configs",
    "POST /components/*/configs/*/set-current",
    "PATCH /components/*",
    "PATCH /components/*/configs/*"
  ]],
  ["components:delete", ["DELETE /components/*", "DELETE /components/*/configs/*"]],
  ...kinds.flatMap(ofKind),
  ...kinds.flatMap(a2aOfKind),
  ["agents:run", ["POST /a2a/message/send", "POST /a2a/message/stream"]],
  ["sessions:read", ["GET /sessions", "GET /sessions/*"]],
  ["sessions:write", ["POST /sessions", "POST /sessions/*/rename", "PATCH /sessions/*"]],
  ["sessions:delete", ["DELETE /sessions", "DELETE /sessions/*"]],
  ["memories:read", [
    "GET /memories",
    "GET /memories/*",
    "GET /memory_topics",
    "GET /user_memory_stats",
    "GET /users/*/memory-settings"
  ]],
  ["memories:write", [
    "POST /memories",
    "PATCH /memories/*",
    "POST /optimize-memories",
    "PUT /users/*/memory-settings"
  ]],
  ["memories:delete", ["DELETE /memories", "DELETE /memories/*", "DELETE /users/*/memory"]],
  ["learnings:read", ["GET /learnings", "GET /learnings/*"]],
  ["learnings:write", ["POST /learnings", "PATCH /learnings/*"]],
  ["learnings:delete", ["DELETE /learnings/*"]],
  ["knowledge:read", [
    "GET /knowledge/content",
    "GET /knowledge/content/*",
    "GET /knowledge/content/*/status",
    "GET /knowledge/config",
    "GET /knowledge/*/sources",
    "GET /knowledge/*/sources/*/files",
    "POST /knowledge/search"
  ]],
  ["knowledge:write", ["POST /knowledge/content", "POST /knowledge/remote-content", "PATCH /knowledge/content/*"]],
  ["knowledge:delete", ["DELETE /knowledge/content", "DELETE /knowledge/content/*"]],
  ["metrics:read", ["GET /metrics"]],
  ["metrics:write", ["POST /metrics/refresh"]],
  ["evals:read", ["GET /eval-runs", "GET /eval-runs/*"]],
  ["evals:write", ["POST /eval-runs", "PATCH /eval-runs/*"]],
  ["evals:delete", ["DELETE /eval-runs"]],
  ["traces:read", ["GET /traces", "GET /traces/*", "GET /trace_session_stats", "POST /traces/search"]],
  ["service_accounts:read", ["GET /service-accounts"]],
  ["service_accounts:write", ["POST /service-accounts"]],
  ["service_accounts:delete", ["DELETE /service-accounts/*"]],
  ["schedules:read", ["GET /schedules", "GET /schedules/*", "GET /schedules/*/runs", "GET /schedules/*/runs/*"]],
  ["schedules:write", [
    "POST /schedules",
    "PATCH /schedules/*",
    "POST /schedules/*/enable",
    "POST /schedules/*/disable",
    "POST /schedules/*/trigger"
  ]],
  ["schedules:delete", ["DELETE /schedules/*"]],
  ["approvals:read", ["GET /approvals", "GET /approvals/count", "GET /approvals/*", "GET /approvals/*/status"]],
  ["approvals:write", ["POST /approvals/*/resolve"]],
  ["approvals:delete", ["DELETE /approvals/*"]]
]

/** By route. */
export const specified: ReadonlyMap<string, string> = new Map(
  table.flatMap(([scope, routes]) => routes.map((route) => [route, scope] as const))
)
