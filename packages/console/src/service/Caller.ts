// Who the person is for the service, what the scopes of the token allow, and which features the service has. The
// service decides: the page only leaves out what would be refused.
import { signal } from "@preact/signals"
import type { Caller } from "@svc-runtime/client"
import { pageAt } from "../pages.ts"

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

/** The names of the features that the service has. */
export const features = signal<ReadonlyArray<string>>([])

/** Whether the service has what a page is about. */
export const isServed = (page: string): boolean => {
  const feature = pageAt(page)?.feature
  return feature === undefined || features.value.includes(feature)
}

/** Whether the service has what a page is about, and the caller may read it. */
export const mayOpen = (page: string): boolean => {
  const scope = pageAt(page)?.scope
  return isServed(page) && (scope === undefined || may(scope))
}
