// Parses configured keys. An error names the setting and never the key.
import type * as Json from "@svc-runtime/domain/Json"
import { Redacted, Result } from "effect"
import { createPublicKey, type JsonWebKey, type KeyObject } from "node:crypto"
import { type Algorithm, minSecretBytes, mismatch } from "./Algorithm.ts"

export type VerificationKey = KeyObject | Uint8Array

const checkedKey = (algorithm: Algorithm, key: KeyObject): Result.Result<VerificationKey, string> => {
  const problem = mismatch(algorithm, key)
  return problem === undefined ? Result.succeed(key) : Result.fail(problem)
}

const secretOf = (bytes: Uint8Array, algorithm: Algorithm, least: number): Result.Result<VerificationKey, string> =>
  bytes.length < least
    ? Result.fail(`${algorithm} needs a secret of at least ${least} bytes, and this one has ${bytes.length}`)
    : Result.succeed(bytes)

/** Environment variables and JSON files often contain line breaks as `\n`. */
const unescaped = (text: string) => text.includes("\n") ? text : text.replaceAll("\\n", "\n")

const isPem = (text: string) => text.trimStart().startsWith("-----BEGIN ")

/** A public key in PEM, or the text of a shared secret. */
export const fromText = (key: Redacted.Redacted, algorithm: Algorithm): Result.Result<VerificationKey, string> => {
  const text = Redacted.value(key)
  const least = minSecretBytes(algorithm)
  if (least !== undefined) {
    // If a public key were used as a secret, everyone who has it could sign.
    if (isPem(text)) return Result.fail(`${algorithm} takes a shared secret, and this is a key in PEM`)
    return secretOf(new TextEncoder().encode(text), algorithm, least)
  }
  return Result.try({
    try: () => createPublicKey(unescaped(text)),
    catch: () => `${algorithm} takes a public key in PEM (-----BEGIN PUBLIC KEY-----), and this does not parse as one`
  }).pipe(Result.flatMap((parsed) => checkedKey(algorithm, parsed)))
}

/** One member of a JSON Web Key Set. */
export const fromJwk = (jwk: Json.Object, algorithm: Algorithm): Result.Result<VerificationKey, string> => {
  if (jwk["use"] !== undefined && jwk["use"] !== "sig") return Result.fail("it is not for signatures")
  if (jwk["alg"] !== undefined && jwk["alg"] !== algorithm) return Result.fail(`it is not for ${algorithm}`)
  const least = minSecretBytes(algorithm)
  if (least !== undefined) {
    return jwk["kty"] === "oct" && typeof jwk["k"] === "string"
      ? secretOf(Buffer.from(jwk["k"], "base64url"), algorithm, least)
      : Result.fail(`${algorithm} takes a key of type oct`)
  }
  return Result.try({
    try: () => createPublicKey({ key: jwk as JsonWebKey, format: "jwk" }),
    catch: () => "it does not parse"
  }).pipe(Result.flatMap((parsed) => checkedKey(algorithm, parsed)))
}
