// The credential with which the service calls itself: a secret, and after it the author for whom a schedule acts.
import * as Ids from "@svc-runtime/domain/Ids"
import { Redacted } from "effect"
import { isSameSecret } from "./isSameSecret.ts"

/** No JSON Web Token has it, so that those are compared once. */
const separator = "~"

/** Null: the schedule acts as the service. */
export const of = (secret: Redacted.Redacted, author: Ids.UserId | null): Redacted.Redacted =>
  author === null
    ? secret
    : Redacted.make(`${Redacted.value(secret)}${separator}${Buffer.from(author).toString("base64url")}`)

/** Undefined: it is another credential. */
export const authorOf = (token: Redacted.Redacted, secret: Redacted.Redacted): Ids.UserId | null | undefined => {
  if (isSameSecret(token, secret)) return null
  const text = Redacted.value(token)
  const place = text.lastIndexOf(separator)
  if (place < 0 || !isSameSecret(Redacted.make(text.slice(0, place)), secret)) return undefined
  const author = Buffer.from(text.slice(place + 1), "base64url").toString()
  return author !== "" && Ids.isUserId(author) ? Ids.UserId.make(author) : undefined
}
