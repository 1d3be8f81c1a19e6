// Whether an interaction is from Discord: a signature with Ed25519 over the time and the body.
import { createPublicKey, type KeyObject, verify } from "node:crypto"
import type { Delivery } from "../Adapter.ts"
import { ChannelError } from "../ChannelError.ts"
import { headerOf, requireRecent } from "../Signatures.ts"

/** What stands before the 32 bytes of a key, so that it can be read. */
const prefix = Buffer.from("302a300506032b6570032100", "hex")

/** The public key of an application: 64 hexadecimal digits. */
export const publicKeyOf = (hex: string): KeyObject =>
  createPublicKey({ key: Buffer.concat([prefix, Buffer.from(hex, "hex")]), format: "der", type: "spki" })

/**
 * Throws `ChannelError` unless Discord has signed the request in the last minutes.
 *
 * @example
 * ```ts
 * requireSigned(delivery, publicKeyOf(settings.publicKey))
 * ```
 */
export const requireSigned = (delivery: Delivery, key: KeyObject): void => {
  const time = headerOf(delivery, "x-signature-timestamp")
  const signature = headerOf(delivery, "x-signature-ed25519")
  const isSigned = /^[\da-f]{128}$/i.test(signature) &&
    verify(null, Buffer.concat([Buffer.from(time), delivery.body]), key, Buffer.from(signature, "hex"))
  if (!isSigned) throw new ChannelError({ reason: "forged", message: "The signature of the request is wrong" })
  requireRecent(delivery, time)
}
