// Which responses a client has already (RFC 9110 §13.1.2).
import type { Headers } from "effect/http"

const listed = /(?:W\/)?("[^"]*")/g

/**
 * Whether `If-None-Match` names the tag of what the client would get. The comparison is weak: a proxy that compresses a
 * response makes its tag a weak one.
 */
export const isKnown = ({ "if-none-match": given }: Headers.Headers, tag: string): boolean =>
  given !== undefined &&
  (given.trim() === "*" || Array.from(given.matchAll(listed), ([, each]) => each).includes(tag.replace(/^W\//, "")))
