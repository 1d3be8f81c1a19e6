// Which routes respond to service accounts while the database does not reply, as an annotation of the endpoint.
import { Context } from "effect"

/** An account is then the caller as whom this node has last verified it. An endpoint without it does not respond. */
export class RespondsInOutage
  extends Context.Service<RespondsInOutage, boolean>()("@svc-runtime/api/RespondsInOutage")
{}
