// The supported signature algorithms (RFC 7518 §3.1, RFC 8037) and their keys. A key of another algorithm is rejected
// when it is read, so that a token cannot select its verification.
import type { KeyObject } from "node:crypto"

interface Asymmetric {
  readonly types: ReadonlyArray<string>
  /** The name in Node. */
  readonly curve?: string
}

const rsa: Asymmetric = { types: ["rsa"] }
const pss: Asymmetric = { types: ["rsa", "rsa-pss"] }
const edwards: Asymmetric = { types: ["ed25519"] }

const asymmetric = {
  RS256: rsa,
  RS384: rsa,
  RS512: rsa,
  PS256: pss,
  PS384: pss,
  PS512: pss,
  ES256: { types: ["ec"], curve: "prime256v1" },
  ES384: { types: ["ec"], curve: "secp384r1" },
  ES512: { types: ["ec"], curve: "secp521r1" },
  EdDSA: edwards,
  Ed25519: edwards
} as const satisfies Record<string, Asymmetric>

/** The minimum length of a secret in bytes (RFC 7518 §3.2): shorter ones can be brute-forced. */
const secrets = { HS256: 32, HS384: 48, HS512: 64 } as const

export type Algorithm = keyof typeof asymmetric | keyof typeof secrets

export const names = [...Object.keys(asymmetric), ...Object.keys(secrets)] as ReadonlyArray<Algorithm>

export const isAlgorithm = (text: string): text is Algorithm => (names as ReadonlyArray<string>).includes(text)

const isHmac = (algorithm: Algorithm): algorithm is keyof typeof secrets => Object.hasOwn(secrets, algorithm)

/** The minimum length of a secret. Algorithms with public keys have none. */
export const minSecretBytes = (algorithm: Algorithm): number | undefined =>
  isHmac(algorithm) ? secrets[algorithm] : undefined

/** RFC 7518 §3.3. */
const minModulusBits = 2048

/** Why the algorithm cannot use this public key; undefined if it can. */
export const mismatch = (algorithm: Algorithm, key: KeyObject): string | undefined => {
  if (isHmac(algorithm)) return `${algorithm} takes a shared secret, not a public key`
  const wanted: Asymmetric = asymmetric[algorithm]
  const { asymmetricKeyDetails: details, asymmetricKeyType: type } = key
  if (type === undefined || !wanted.types.includes(type)) {
    return `${algorithm} takes a key of type ${wanted.types.join(" or ")}, and this one is ${type}`
  }
  if (wanted.curve !== undefined && details?.namedCurve !== wanted.curve) {
    return `${algorithm} takes a key on the curve ${wanted.curve}, and this one is on ${details?.namedCurve}`
  }
  if (details?.modulusLength !== undefined && details.modulusLength < minModulusBits) {
    return `it has ${details.modulusLength} bits, and ${minModulusBits} is the least that is safe`
  }
  return undefined
}
