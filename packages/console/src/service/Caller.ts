// Who the person is for the service, and what the scopes of the token allow. The service decides: the page only leaves
// out what would be refused.
import { signal } from "@preact/signals"
import type { Caller } from "@svc-runtime/client"

/** Undefined until the service has responded. */
export const caller = signal<Caller | undefined>(undefined)

/** Whether these scopes allow it. One for a kind of components can name one of them: `agents:shop:run`. */
export const allows = (scopes: Caller["scopes"], required: string, id?: string): boolean => {
  if (scopes === null || scopes.includes(required)) return true
  const [resource, action] = required.split(":")
  const isOf = (scope: string) =>
    id === undefined
      ? action === "read" && scope.startsWith(`${resource}:`) && scope.endsWith(":read")
      : scope === `${resource}:${id}:${action}`
  return scopes.some(isOf)
}

/** Whether the caller may do what requires this scope. */
export const may = (required: string, id?: string): boolean =>
  caller.value !== undefined && allows(caller.value.scopes, required, id)

/** Increases when the person has decided about an approval. */
export const decisions = signal(0)

/** The caller may decide about approvals. An isolated caller may not. */
export const mayResolve = (): boolean => may("approvals:write") && caller.value?.is_isolated === false

const pages: Readonly<Record<string, string>> = {
  runs: "sessions:read",
  approvals: "approvals:read",
  workflows: "workflows:read",
  components: "components:read",
  evaluations: "evals:read",
  experiments: "evals:read",
  datasets: "evals:read",
  schedules: "schedules:read",
  knowledge: "knowledge:read",
  memories: "memories:read",
  learnings: "learnings:read",
  accounts: "service_accounts:read",
  webhooks: "webhooks:read",
  metrics: "metrics:read",
  traces: "traces:read"
}

/** Whether the caller may read what a page is about. */
export const mayOpen = (page: string): boolean => {
  const scope = pages[page]
  return scope === undefined || may(scope)
}
