// The id of a message on the wire: a UUID, the same each time that the message is sent. Services recognize a message
// outside of a context by a UUID only, because clients exist that use other ids twice.
import { hash } from "node:crypto"

export const of = (message_id: string): string => {
  const digits = hash("sha256", message_id, "hex")
  const groups = [digits.slice(0, 8), digits.slice(8, 12), `8${digits.slice(13, 16)}`, `a${digits.slice(17, 20)}`]
  return [...groups, digits.slice(20, 32)].join("-")
}
