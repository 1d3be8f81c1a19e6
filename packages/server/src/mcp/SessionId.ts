// The id of a session has all that the service knows of it: the revision of the protocol, and whose it is. So any node
// can serve it, and a session outlives the process in which it began. A session grants no rights, so the id needs no
// secret: who makes one up has a session of their own.
import { hash, randomBytes } from "node:crypto"

const proofOf = (version: string, nonce: string, user: string | undefined): string =>
  hash("sha256", JSON.stringify([version, nonce, user ?? null]), "base64url")

/** Of a user. A session of a caller without a name belongs to no user, and everyone may use it. */
export const make = (version: string, user: string | undefined): string => {
  const nonce = randomBytes(16).toString("base64url")
  return `${version}.${nonce}.${proofOf(version, nonce, user)}`
}

/** Undefined: the user has no such session. */
export const versionOf = (id: string, user: string | undefined): string | undefined => {
  const [, version, nonce, proof] = /^([\d-]{10})\.([\w-]{22})\.([\w-]{43})$/.exec(id) ?? []
  if (version === undefined || nonce === undefined) return undefined
  return proof === proofOf(version, nonce, user) || proof === proofOf(version, nonce, undefined) ? version : undefined
}
