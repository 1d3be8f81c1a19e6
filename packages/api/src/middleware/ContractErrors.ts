// Turns a request that does not fit its schema into the 422 body of the contract, which names the fields.
import { HttpApiMiddleware } from "effect/http-api"
import { Internal, Invalid } from "../Errors.ts"

export class ContractErrors extends HttpApiMiddleware.Service<ContractErrors>()(
  "@svc/api/middleware/ContractErrors",
  { error: [Invalid, Internal] }
) {}
