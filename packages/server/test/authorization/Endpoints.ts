// The endpoints of the API, each with its scope, a request, and whose data it touches. A new endpoint has to be added
// to Requests.ts and to one of the lists below before the tests that walk over all of them pass.
import { RequiredScope } from "@svc-runtime/api"
import { Api } from "@svc-runtime/features/Api"
import { Context } from "effect"
import { HttpApi } from "effect/http-api"
import { type Request, requests, type Subject } from "./Requests.ts"

export interface Endpoint {
  readonly route: string
  readonly scope: RequiredScope
  /** The scopes that its handler requires as well. */
  readonly furtherScopes: ReadonlyArray<string>
  /** Whether the request names a session, a run, a memory or a learning, which has an owner. */
  readonly isOwned: boolean
  /** Whether the request names a user, and is about what is known of that user. */
  readonly isAboutUser: boolean
  readonly request: (subject: Subject) => Request
}

const owned =
  /^(GET|POST|PATCH|DELETE) \/(sessions|memories|learnings\/:learning_id|(agents|teams|workflows)\/:[a-z_]+\/(runs|sessions))/

const aboutUser =
  /^[A-Z]+ \/((memories|learnings)$|memory_topics|user_memory_stats|optimize-memories|learnings\/users|users\/)/

/** Routes without data of an owner, and routes whose owners another test checks. */
const others: Readonly<Record<string, ReadonlyArray<string>>> = {
  "about the service": [
    "GET /",
    "GET /health",
    "GET /ready",
    "GET /info",
    "GET /caller",
    "GET /config",
    "GET /models",
    "GET /registry",
    "POST /databases/all/migrate",
    "POST /databases/:db_id/migrate",
    "GET /databases/:db_id/migrations",
    "GET /nodes",
    "GET /metrics/prometheus"
  ],
  "about components": [
    "GET /agents",
    "GET /agents/:agent_id",
    "GET /teams",
    "GET /teams/:team_id",
    "GET /workflows",
    "GET /workflows/:workflow_id"
  ],
  "for admins": [
    "POST /service-accounts",
    "GET /service-accounts",
    "DELETE /service-accounts/:service_account_id"
  ],
  "authorization/Approvals.test.ts": [
    "GET /approvals",
    "GET /approvals/count",
    "GET /approvals/:approval_id",
    "GET /approvals/:approval_id/status",
    "POST /approvals/:approval_id/resolve",
    "DELETE /approvals/:approval_id"
  ],
  "authorization/Metrics.test.ts": [
    "GET /metrics",
    "GET /metrics/usage",
    "POST /metrics/refresh",
    "GET /metrics/refresh/status"
  ],
  "wire/Traces.test.ts": [
    "GET /traces",
    "GET /traces/filter-schema",
    "GET /traces/:trace_id",
    "GET /trace_session_stats",
    "POST /traces/search"
  ],
  "wire/Schedules.test.ts": [
    "GET /schedules",
    "POST /schedules",
    "GET /schedules/next",
    "GET /schedules/:schedule_id",
    "PATCH /schedules/:schedule_id",
    "DELETE /schedules/:schedule_id",
    "POST /schedules/:schedule_id/enable",
    "POST /schedules/:schedule_id/disable",
    "POST /schedules/:schedule_id/trigger",
    "GET /schedules/:schedule_id/next",
    "GET /schedules/:schedule_id/runs",
    "GET /schedules/:schedule_id/runs/:run_id"
  ],
  "wire/Webhooks.test.ts": [
    "GET /webhooks",
    "POST /webhooks",
    "GET /webhooks/:webhook_id",
    "PATCH /webhooks/:webhook_id",
    "DELETE /webhooks/:webhook_id",
    "POST /webhooks/:webhook_id/rotate-secret",
    "POST /webhooks/:webhook_id/test",
    "GET /webhooks/:webhook_id/deliveries",
    "GET /webhooks/:webhook_id/deliveries/:delivery_id",
    "POST /webhooks/:webhook_id/deliveries/:delivery_id/redeliver"
  ],
  "wire/AllRuns.test.ts": ["GET /runs"],
  "wire/Media.test.ts": ["GET /media/:media_id"],
  "wire/Feedback.test.ts": [
    "POST /runs/:run_id/feedback",
    "GET /runs/:run_id/feedback",
    "GET /feedback",
    "DELETE /feedback/:feedback_id"
  ],
  "wire/Datasets.test.ts": [
    "GET /datasets",
    "POST /datasets",
    "GET /datasets/:dataset_id",
    "PATCH /datasets/:dataset_id",
    "DELETE /datasets/:dataset_id",
    "GET /datasets/:dataset_id/items",
    "POST /datasets/:dataset_id/items",
    "POST /datasets/:dataset_id/items/from-trace",
    "POST /datasets/:dataset_id/import",
    "GET /datasets/:dataset_id/export"
  ],
  "wire/Experiments.test.ts": [
    "GET /experiments",
    "POST /experiments",
    "GET /experiments/compare",
    "GET /experiments/:experiment_id",
    "DELETE /experiments/:experiment_id",
    "POST /experiments/:experiment_id/cancel",
    "GET /experiments/:experiment_id/items"
  ],
  "authorization/EvalRuns.test.ts": [
    "GET /eval-runs",
    "GET /eval-runs/:eval_run_id",
    "PATCH /eval-runs/:eval_run_id",
    "DELETE /eval-runs",
    "POST /eval-runs",
    "POST /eval-runs/:eval_run_id/cancel"
  ],
  "shared by all callers": [
    "POST /agents",
    "PATCH /agents/:agent_id",
    "DELETE /agents/:agent_id",
    "POST /teams",
    "PATCH /teams/:team_id",
    "DELETE /teams/:team_id",
    "POST /workflows",
    "PATCH /workflows/:workflow_id",
    "DELETE /workflows/:workflow_id",
    "GET /components",
    "POST /components",
    "GET /components/:component_id",
    "PATCH /components/:component_id",
    "DELETE /components/:component_id",
    "GET /components/:component_id/configs",
    "POST /components/:component_id/configs",
    "GET /components/:component_id/configs/current",
    "GET /components/:component_id/configs/:version",
    "PATCH /components/:component_id/configs/:version",
    "DELETE /components/:component_id/configs/:version",
    "POST /components/:component_id/configs/:version/set-current"
  ],
  "wire/KnowledgeOwners.test.ts": [
    "POST /knowledge/content",
    "POST /knowledge/remote-content",
    "GET /knowledge/content",
    "GET /knowledge/content/:content_id",
    "PATCH /knowledge/content/:content_id",
    "DELETE /knowledge/content/:content_id",
    "DELETE /knowledge/content",
    "GET /knowledge/content/:content_id/status",
    "POST /knowledge/search",
    "GET /knowledge/config",
    "GET /knowledge/:knowledge_id/sources",
    "GET /knowledge/:knowledge_id/sources/:source_id/files"
  ]
}

const further: Readonly<Record<string, ReadonlyArray<string>>> = {
  "DELETE /users/:user_id/memory": ["learnings:delete"],
  "POST /schedules": ["agents:run"],
  "POST /eval-runs": ["agents:run"],
  "POST /experiments": ["agents:run"],
  "GET /nodes": ["metrics:scrape"],
  "GET /metrics/prometheus": ["metrics:scrape"]
}

/** Read out of the API. */
export const endpoints: ReadonlyArray<Endpoint> = (() => {
  const found: Array<Endpoint> = []
  HttpApi.reflect(Api, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint }) => {
      const route = `${endpoint.method} ${endpoint.path}`
      const scope = Context.get(endpoint.annotations, RequiredScope)
      const request = requests[route]
      if (request === undefined || scope === undefined) throw new Error(`Say in Requests.ts how ${route} is called`)
      const [isOwned, isAboutUser] = [owned.test(route), aboutUser.test(route)]
      found.push({ route, scope, furtherScopes: further[route] ?? [], request, isOwned, isAboutUser })
    }
  })
  return found
})()

/** Routes of which nothing says whose data they touch. */
export const unassigned = endpoints
  .filter(({ isAboutUser, isOwned }) => !isOwned && !isAboutUser)
  .map(({ route }) => route)
  .filter((route) => !Object.values(others).flat().includes(route))
