// Keys and tokens for tests: real ones, made anew for each process, signed by jose as any issuer would.
import { Effect, Redacted } from "effect"
import { CompactSign, exportJWK, exportSPKI, generateKeyPair, type JWK, type JWTPayload, SignJWT } from "jose"

export interface Issuer {
  readonly algorithm: string
  readonly keyId: string | undefined
  /** What a service is given to recognise its tokens. */
  readonly publicPem: string
  readonly publicJwk: JWK
  readonly sign: (claims: JWTPayload, header?: Record<string, unknown>) => Effect.Effect<string>
}

/** An identity provider with one pair of keys. */
export const issuer = Effect.fnUntraced(function*(algorithm = "RS256", keyId?: string) {
  const { privateKey, publicKey } = yield* Effect.promise(() => generateKeyPair(algorithm, { extractable: true }))
  const named = keyId === undefined ? {} : { kid: keyId }
  const made: Issuer = {
    algorithm,
    keyId,
    publicPem: yield* Effect.promise(() => exportSPKI(publicKey)),
    publicJwk: { ...yield* Effect.promise(() => exportJWK(publicKey)), ...named, alg: algorithm, use: "sig" },
    sign: (claims, header = {}) =>
      Effect.promise(() =>
        new SignJWT(claims).setProtectedHeader({ alg: algorithm, typ: "JWT", ...named, ...header }).sign(privateKey)
      )
  }
  return made
})

/** A token signed with a shared secret. */
export const signWithSecret = (claims: JWTPayload, secret: string, algorithm = "HS256") =>
  Effect.promise(() =>
    new SignJWT(claims).setProtectedHeader({ alg: algorithm }).sign(new TextEncoder().encode(secret))
  )

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url")

/** A token assembled from its parts, for what no issuer would sign. */
export const forge = (header: unknown, claims: unknown, signature = ""): string =>
  `${encode(header)}.${encode(claims)}.${signature}`

export const bearer = (token: string): RequestInit => ({ headers: { authorization: `Bearer ${token}` } })

export const redacted = (text: string): Redacted.Redacted => Redacted.make(text)

/** A token whose payload is whatever text it is. */
export const signRaw = (payload: string, secret: string) =>
  Effect.promise(() =>
    new CompactSign(new TextEncoder().encode(payload)).setProtectedHeader({ alg: "HS256" })
      .sign(new TextEncoder().encode(secret))
  )
