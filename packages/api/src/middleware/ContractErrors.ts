// Responds to a request that does not match its schema with 422 and the invalid fields.
import { HttpApiMiddleware } from "effect/http-api"
import { Internal, Invalid } from "../Errors.ts"

export class ContractErrors extends HttpApiMiddleware.Service<ContractErrors>()(
  "@svc-runtime/api/middleware/ContractErrors",
  { error: [Invalid, Internal] }
) {}
