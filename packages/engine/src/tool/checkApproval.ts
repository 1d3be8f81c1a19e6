// The option `approval` of tools, alone and beside `requiresConfirmation`.
import { Mistake } from "../userCode/Mistake.ts"
import * as Validate from "../userCode/Validate.ts"

interface Options {
  readonly approval?: "audit" | "required" | undefined
  readonly requiresConfirmation?: unknown
}

/**
 * Throws for another value, and for an approval of calls that ask for none: an author who has set both could rely on
 * either. `asksOtherwise`: a person gives the calls something else than a confirmation.
 */
export const checkApproval = (
  owner: string,
  { approval, requiresConfirmation }: Options,
  asksOtherwise = false
): void => {
  if (approval === undefined) return
  Validate.oneOf(owner, "approval", ["required", "audit"], approval)
  if (requiresConfirmation !== false || asksOtherwise) return
  throw new Mistake(
    `${owner}: approval needs a decision about each call, and requiresConfirmation is false. Leave one of them out`
  )
}
