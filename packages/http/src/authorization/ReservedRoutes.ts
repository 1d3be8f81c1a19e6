// Routes of the contract that are not served yet, by the scope that they need. A caller without the scope gets 403; a
// caller with it gets the response of the path today. A route that is served uses its own scope instead of this table.
import * as RoutePattern from "./RoutePattern.ts"

const byScope: ReadonlyArray<Readonly<Record<string, ReadonlyArray<string>>>> = [
  {
    "config:write": ["POST /databases/all/migrate", "POST /databases/*/migrate"],
    "memories:read": ["GET /memories", "GET /memories/*", "GET /memory_topics", "GET /user_memory_stats"],
    "memories:write": ["POST /memories", "PATCH /memories/*", "POST /optimize-memories"],
    "memories:delete": ["DELETE /memories", "DELETE /memories/*"],
    "learnings:read": ["GET /learnings", "GET /learnings/users", "GET /learnings/*"],
    "learnings:write": ["POST /learnings", "PATCH /learnings/*"],
    "learnings:delete": ["DELETE /learnings/*", "DELETE /learnings/users/*"],
    "knowledge:read": [
      "GET /knowledge/content",
      "GET /knowledge/content/*",
      "GET /knowledge/content/*/status",
      "GET /knowledge/config",
      "GET /knowledge/*/sources",
      "GET /knowledge/*/sources/*/files",
      "POST /knowledge/search"
    ],
    "knowledge:write": ["POST /knowledge/content", "POST /knowledge/remote-content", "PATCH /knowledge/content/*"],
    "knowledge:delete": ["DELETE /knowledge/content", "DELETE /knowledge/content/*"],
    "metrics:read": ["GET /metrics", "GET /metrics/refresh/status"],
    "metrics:write": ["POST /metrics/refresh"],
    "evals:read": ["GET /eval-runs", "GET /eval-runs/*"],
    "evals:write": ["POST /eval-runs", "PATCH /eval-runs/*"],
    "evals:delete": ["DELETE /eval-runs"],
    "traces:read": [
      "GET /traces",
      "GET /traces/filter-schema",
      "GET /traces/*",
      "GET /trace_session_stats",
      "POST /traces/search"
    ],
    "schedules:read": ["GET /schedules", "GET /schedules/*", "GET /schedules/*/runs", "GET /schedules/*/runs/*"],
    "schedules:write": [
      "POST /schedules",
      "PATCH /schedules/*",
      "POST /schedules/*/enable",
      "POST /schedules/*/disable",
      "POST /schedules/*/trigger"
    ],
    "schedules:delete": ["DELETE /schedules/*"]
  }
]

export interface ReservedRoute {
  readonly method: string
  readonly segments: ReadonlyArray<RoutePattern.Segment>
  readonly scopes: ReadonlyArray<string>
}

export const reservedRoutes: ReadonlyArray<ReservedRoute> = byScope.flatMap((table) =>
  Object.entries(table).flatMap(([scope, routes]) =>
    routes.map((route) => {
      const [method = "", path = ""] = route.split(" ")
      return { method, segments: RoutePattern.ofOperator(path), scopes: [scope] }
    })
  )
)
