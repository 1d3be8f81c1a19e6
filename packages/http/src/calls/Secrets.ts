// Secrets at rest. A secret that the service must use later, such as one that signs calls, cannot be hashed. It is
// sealed with a key from the environment, so that the database alone does not show it.
import { Context, Effect, Layer, Redacted, Result, Schema } from "effect"
import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto"

/** Of the stored form: `sealed:1:KEY:DATA`. */
const prefix = "sealed:1:"
const stored = /^sealed:1:([\w-]{11}):([\w-]{38,})$/
const algorithm = "aes-256-gcm"
const nonceBytes = 12
const tagBytes = 16

/** One of the keys of `SECRETS_KEY`. */
export interface Key {
  /** The beginning of the hash of the key: a stored secret says with which key it was sealed. */
  readonly id: string
  readonly bytes: Redacted.Redacted<Uint8Array>
}

/** Why a stored secret cannot be used. It has no part of the secret. */
export class SecretUnreadable extends Schema.TaggedError<SecretUnreadable>()("SecretUnreadable", {
  message: Schema.String
}) {}

/** Lines about secrets that cannot be used. */
const maxLogged = 1000

const howToMake = "Make one with `openssl rand -base64 32`."

/**
 * The keys of `SECRETS_KEY`: 32 bytes in base64, several of them separated by commas. The first one seals, and all of
 * them open. The failure says what to do, without the text.
 */
export const keysOf = (text: Redacted.Redacted): Result.Result<ReadonlyArray<Key>, string> => {
  const keys: Array<Key> = []
  for (const [index, part] of Redacted.value(text).split(",").entries()) {
    const bytes = Buffer.from(part.trim(), "base64")
    const isBase64 = /^[A-Za-z0-9+/_-]{43}=?$/.test(part.trim())
    if (!isBase64 || bytes.length !== 32) {
      return Result.fail(`Key ${index + 1} of SECRETS_KEY is not 32 bytes in base64. ${howToMake}`)
    }
    const id = createHash("sha256").update("svc secrets key").update(bytes).digest().subarray(0, 8).toString(
      "base64url"
    )
    if (keys.some((key) => key.id === id)) return Result.fail(`Key ${index + 1} of SECRETS_KEY is there twice.`)
    keys.push({ id, bytes: Redacted.make<Uint8Array>(bytes, { label: "key" }) })
  }
  return Result.succeed(keys)
}

/** Before a text that is stored without a key, and looks like a stored form: callers choose some of them. */
const plain = "plain:"

const asPlain = (text: string): string => /^(?:sealed|plain):/.test(text) ? `${plain}${text}` : text

/** Whether a stored text is a sealed secret. Others were stored without a key. */
export const isSealed = (text: string): boolean => text.startsWith("sealed:")

const sealedWith = ({ bytes, id }: Key, row: string, secret: Redacted.Redacted): string => {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv(algorithm, Redacted.value(bytes), nonce).setAAD(Buffer.from(`${prefix}${id}:${row}`))
  const data = Buffer.concat([
    nonce,
    cipher.update(Redacted.value(secret), "utf8"),
    cipher.final(),
    cipher.getAuthTag()
  ])
  return `${prefix}${id}:${data.toString("base64url")}`
}

const openedWith = ({ bytes, id }: Key, row: string, data: Buffer): Redacted.Redacted => {
  const end = data.length - tagBytes
  const decipher = createDecipheriv(algorithm, Redacted.value(bytes), data.subarray(0, nonceBytes), {
    authTagLength: tagBytes
  })
  decipher.setAAD(Buffer.from(`${prefix}${id}:${row}`)).setAuthTag(data.subarray(end))
  const text = Buffer.concat([decipher.update(data.subarray(nonceBytes, end)), decipher.final()])
  return Redacted.make(text.toString("utf8"), { label: "secret" })
}

/** `row` is what a secret belongs to, such as `webhook:ID`: copied to another row, a sealed secret does not open. */
export class Secrets extends Context.Service<Secrets, {
  /** Without a key, secrets are stored as they are. */
  readonly hasKey: boolean
  /** The beginning of what the newest key seals. Undefined without a key. */
  readonly form: string | undefined
  /** The form in which a secret is stored. */
  readonly seal: (row: string, secret: Redacted.Redacted) => Effect.Effect<string>
  /**
   * A secret that was stored without a key is given as it is. The log has one line about each key that is missing, and
   * about each row whose secret is damaged.
   */
  readonly open: (row: string, stored: string) => Effect.Effect<Redacted.Redacted, SecretUnreadable>
  /** Whether a stored secret is not sealed with the newest key: it is opened and sealed again. False without a key. */
  readonly isOld: (stored: string) => boolean
}>()("@svc-runtime/http/calls/Secrets") {
  static readonly layerOf = (keys: ReadonlyArray<Key>): Layer.Layer<Secrets> => {
    const [newest] = keys
    const form = newest === undefined ? undefined : `${prefix}${newest.id}:`
    const logged = new Set<string>()

    const fail = Effect.fnUntraced(function*(row: string, about: string, message: string) {
      if (!logged.has(about) && logged.size < maxLogged) {
        logged.add(about)
        yield* Effect.annotateLogs(Effect.logError(`A stored secret cannot be used. ${message}`), { secret: row })
      }
      return yield* new SecretUnreadable({ message })
    })

    return Layer.succeed(
      Secrets,
      Secrets.of({
        hasKey: newest !== undefined,
        form,
        seal: (row, secret) =>
          Effect.sync(() => newest === undefined ? asPlain(Redacted.value(secret)) : sealedWith(newest, row, secret)),
        open: Effect.fn("Secrets.open")(function*(row, text) {
          if (!isSealed(text)) {
            return Redacted.make(text.startsWith(plain) ? text.slice(plain.length) : text, { label: "secret" })
          }
          const [, id, data = ""] = stored.exec(text) ?? []
          const key = keys.find((each) => each.id === id)
          if (id !== undefined && key === undefined) {
            return yield* fail(
              row,
              id,
              `The secret was sealed with the key ${id}, which SECRETS_KEY does not have. Add it behind a comma.`
            )
          }
          const opened = key === undefined
            ? Result.fail(undefined)
            : Result.try(() => openedWith(key, row, Buffer.from(data, "base64url")))
          if (Result.isSuccess(opened)) return opened.success
          return yield* fail(
            row,
            row,
            "The stored secret was changed, or belongs to another row. Replace it with a new one."
          )
        }),
        isOld: (text) => form !== undefined && !text.startsWith(form)
      })
    )
  }

  /** Secrets are stored as they are, and sealed ones cannot be opened. */
  static readonly layerNone: Layer.Layer<Secrets> = Secrets.layerOf([])
}
