// Which routes respond to service accounts while the database does not reply, as an annotation of the endpoint.
import { Context } from "effect"

/** An account is then the caller as whom this node has last verified it. */
export const RespondsInOutage = Context.Reference<boolean>("@svc-runtime/api/RespondsInOutage", {
  defaultValue: () => false
})
