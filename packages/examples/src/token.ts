// Signs a token as an identity provider would, for trying a closed service out:
//
//   npm run -s node -- packages/examples/src/token.ts --key private.pem --subject ann --scope agents:run --hours 8
//
// The private key stays where tokens are made. A service needs the public one, and only to check them.
import { Effect, Schema } from "effect"
import { importPKCS8, SignJWT } from "jose"
import { readFileSync } from "node:fs"
import { parseArgs } from "node:util"

const usage =
  "Usage: npm run -s node -- packages/examples/src/token.ts --key private.pem [--subject ann] [--scope agents:run]... [--hours 1] " +
  "[--audience svc] [--kid key-1] [--algorithm RS256]"

class CannotSign extends Schema.TaggedError<CannotSign>()("CannotSign", { message: Schema.String }) {}

const options = Effect.try({
  try: () =>
    parseArgs({
      options: {
        key: { type: "string" },
        subject: { type: "string" },
        scope: { type: "string", multiple: true, default: [] },
        hours: { type: "string", default: "1" },
        audience: { type: "string" },
        kid: { type: "string" },
        algorithm: { type: "string", default: "RS256" }
      }
    }).values,
  catch: (error) => new CannotSign({ message: `${error instanceof Error ? error.message : String(error)}\n${usage}` })
})

const sign = Effect.gen(function*() {
  const { algorithm, audience, hours, key, kid, scope, subject } = yield* options
  if (key === undefined) return yield* new CannotSign({ message: usage })
  if (!(Number(hours) > 0)) return yield* new CannotSign({ message: `--hours is a number above 0, not ${hours}` })
  const pem = yield* Effect.try({
    try: () => readFileSync(key, "utf8"),
    catch: () =>
      new CannotSign({
        message: `${key} cannot be read. Make a key with: openssl genpkey -algorithm RSA ` +
          `-pkeyopt rsa_keygen_bits:2048 -out ${key}`
      })
  })
  const token = new SignJWT({ scopes: scope, ...(subject === undefined ? {} : { sub: subject }) })
    .setProtectedHeader({ alg: algorithm, typ: "JWT", ...(kid === undefined ? {} : { kid }) })
    .setIssuedAt()
    .setExpirationTime(`${Math.ceil(Number(hours) * 3600)} seconds`)
  if (audience !== undefined) token.setAudience(audience)
  return yield* Effect.tryPromise({
    try: () => importPKCS8(pem, algorithm).then((privateKey) => token.sign(privateKey)),
    catch: () =>
      new CannotSign({ message: `${key} is no private key for ${algorithm} in PKCS #8 (-----BEGIN PRIVATE KEY-----)` })
  })
})

const main = sign.pipe(
  Effect.tap((token) => Effect.sync(() => process.stdout.write(`${token}\n`))),
  Effect.catch(({ message }) =>
    Effect.sync(() => {
      process.stderr.write(`${message}\n`)
      process.exitCode = 1
    })
  )
)

await Effect.runPromise(main)
