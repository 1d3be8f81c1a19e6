// Roles that many services need. A service has them if it names them in `authorization.roles`.
import * as Scope from "@svc-runtime/domain/Scope"

const readable = [
  ...Scope.perResource,
  "approvals",
  "budgets",
  "channels",
  "config",
  "evals",
  "knowledge",
  "learnings",
  "memories",
  "metrics",
  "prompts",
  "schedules",
  "sessions",
  "skills",
  "traces",
  "webhooks"
]

const viewer = readable.map((resource) => `${resource}:read`)

/**
 * Roles for `authorization.roles`: `viewer` reads all but accounts, roles and the audit log, `operator` also runs
 * components, changes schedules and webhooks and writes on channels, `approver` decides what runs wait for, and `admin`
 * may do everything.
 *
 * ```ts
 * import { serve, standardRoles } from "@svc-runtime/server"
 *
 * serve({ authorization: { roles: { ...standardRoles, support: ["agents:desk:run"] } } })
 * ```
 */
export const standardRoles: Readonly<Record<"admin" | "approver" | "operator" | "viewer", ReadonlyArray<string>>> = {
  viewer,
  operator: [
    ...viewer,
    ...Scope.perResource.map((resource) => `${resource}:run`),
    ...["schedules", "webhooks"].flatMap((resource) => [`${resource}:write`, `${resource}:delete`]),
    "channels:write"
  ],
  approver: ["approvals:read", "approvals:write", "sessions:read"],
  admin: [Scope.defaultAdmin]
}
