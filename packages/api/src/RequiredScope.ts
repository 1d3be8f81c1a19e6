// The scope an endpoint asks for, written on the endpoint itself. Authorization reads it there, and the scope table of
// the documentation is read out of the API: there is no second list to keep.
import { Context } from "effect"

/** `sessions:read` and the like; `"none"` for the routes that are open by the specification. */
export type RequiredScope = `${string}:${string}` | "none"

/** Undefined means that nobody thought of it. Such an endpoint must not be served. */
export const RequiredScope = Context.Reference<RequiredScope | undefined>("@svc/api/RequiredScope", {
  defaultValue: () => undefined
})
