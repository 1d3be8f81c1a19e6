// How the current request was admitted, and what was found of it since.
import type * as Principal from "@svc-runtime/domain/Principal"
import { Context } from "effect"
import type * as AuthorizedStream from "../sse/AuthorizedStream.ts"
import type { AccessDecision } from "./AccessControl.ts"

/** Of the current request. A transport with frames of its own sets another closing frame for its stream. */
export interface StreamFraming {
  closingFrame: AuthorizedStream.ClosingFrame
  readonly check: AuthorizedStream.Check
  /** The check of the next frames, where it was made before they were encoded: encoding changes the closing frame. */
  checked: { readonly detail: string | undefined } | undefined
  /** Of a route whose body decides on scopes: why a caller may not have its stream any more. */
  objection: ((principal: Principal.Principal) => string | undefined) | undefined
}

/** What a handler found of the current request after it was admitted. */
export interface Findings {
  /** The scope for which a call over MCP was refused. */
  missingScope: string | undefined
  /** The ids in the body of a request that changes many. */
  subjects: ReadonlyArray<string> | undefined
}

/** How the current request was admitted. Undefined before that. */
export const CurrentAccess = Context.Reference<AccessDecision & Findings & StreamFraming | undefined>(
  "@svc-runtime/http/authorization/CurrentAccess",
  {
    defaultValue: () => undefined
  }
)
