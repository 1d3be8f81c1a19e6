// A file with a JSON Web Key Set. It must be valid at start. Afterwards it is checked about once a second while tokens
// arrive, and at once for an unknown key id, so keys rotate without a restart. If the file is missing or unreadable,
// this is reported and the last keys stay valid: an editor that writes in place must not reject all callers.
import * as Json from "@svc-runtime/domain/Json"
import * as Monotonic from "@svc-runtime/domain/Monotonic"
import { Effect, Result, Schema } from "effect"
import { readFile, stat } from "node:fs/promises"
import type { Algorithm } from "./Algorithm.ts"
import { KeysUnusable } from "./AuthErrors.ts"
import { fromJwk, type VerificationKey } from "./VerificationKey.ts"

export interface KeySet {
  readonly byId: ReadonlyMap<string, VerificationKey>
  /** Keys without an id: for tokens without an id or with an unknown one. */
  readonly unnamed: VerificationKey | undefined
}

export interface JwksFile {
  readonly keys: () => KeySet
  /** Whether the file was not checked within the last `milliseconds`. */
  readonly isDue: (now: number, milliseconds: number) => boolean
  /** Checks the file for a change, if that is due. */
  readonly refresh: (milliseconds: number) => Effect.Effect<void>
  /** Changes with the keys. */
  readonly generation: () => number
}

const Document = Schema.fromJsonString(Schema.Struct({ keys: Schema.Array(Json.Object) }))
const decode = Schema.decodeUnknownResult(Document)

/** The maximum size; real key sets are much smaller. */
const maxBytes = 1024 * 1024

interface Read {
  readonly set: KeySet
  /** The skipped keys, with reasons. */
  readonly unusable: ReadonlyArray<string>
}

export const parse = (text: string, algorithm: Algorithm): Result.Result<Read, string> =>
  Result.map(Result.mapError(decode(text), () => "it is not a JSON Web Key Set ({\"keys\": [...]})"), ({ keys }) => {
    const byId = new Map<string, VerificationKey>()
    const unusable: Array<string> = []
    let unnamed: VerificationKey | undefined
    for (const [index, jwk] of keys.entries()) {
      const { kid } = jwk
      const key = fromJwk(jwk, algorithm)
      if (Result.isFailure(key)) {
        unusable.push(`key ${typeof kid === "string" ? JSON.stringify(kid) : index}: ${key.failure}`)
      } else if (typeof kid === "string") byId.set(kid, key.success)
      else unnamed ??= key.success
    }
    return { set: { byId, unnamed }, unusable }
  })

const isEmpty = ({ byId, unnamed }: KeySet) => byId.size === 0 && unnamed === undefined

/** The timeout of the file system. */
const readTimeout = "2 seconds"

const attempt = <A>(read: () => Promise<A>) =>
  Effect.tryPromise({ try: read, catch: () => "it cannot be read" }).pipe(
    Effect.timeoutOrElse({
      duration: readTimeout,
      orElse: () => Effect.fail(`it cannot be read within ${readTimeout}`)
    })
  )

const identityOf = (path: string) =>
  attempt(() => stat(path)).pipe(
    Effect.flatMap(({ ctimeMs, ino, mtimeMs, size }) =>
      size > maxBytes ? Effect.fail("it is too large") : Effect.succeed(`${ino} ${size} ${mtimeMs} ${ctimeMs}`)
    )
  )

const load = (path: string, algorithm: Algorithm) =>
  Effect.flatMap(attempt(() => readFile(path, "utf8")), (text) => Effect.fromResult(parse(text, algorithm)))

const warnOf = (path: string, unusable: ReadonlyArray<string>) =>
  Effect.forEach(unusable, (problem) => Effect.logWarning(`JWT_JWKS_FILE ${path}: ${problem}. Key ignored`), {
    discard: true
  })

const example = "It names a file with a JSON Web Key Set, for example /run/secrets/jwks.json."

export const open = Effect.fnUntraced(function*(path: string, algorithm: Algorithm) {
  const unusable = (problem: string) => new KeysUnusable({ message: `JWT_JWKS_FILE ${path}: ${problem}. ${example}` })
  let identity = yield* Effect.mapError(identityOf(path), unusable)
  const first = yield* Effect.mapError(load(path, algorithm), unusable)
  yield* warnOf(path, first.unusable)
  let { set } = first
  let generation = 0
  let checkedAt = yield* Monotonic.millis
  let reported: string | undefined

  const reread = Effect.gen(function*() {
    const found = yield* identityOf(path)
    if (found === identity) {
      reported = undefined
      return
    }
    const read = yield* load(path, algorithm)
    identity = found
    set = read.set
    generation++
    reported = undefined
    yield* warnOf(path, read.unusable)
    yield* Effect.logInfo(`JWT_JWKS_FILE ${path} has changed: ${set.byId.size + (set.unnamed ? 1 : 0)} usable key(s)`)
  }).pipe(Effect.catch((problem) => {
    // logged once, not for every request
    if (problem === reported) return Effect.void
    reported = problem
    return Effect.logError(`JWT_JWKS_FILE ${path}: ${problem}. The keys that were read last stay in use`)
  }))

  const isDue = (now: number, milliseconds: number) => now - checkedAt >= milliseconds

  const file: JwksFile & { readonly isEmpty: boolean } = {
    isEmpty: isEmpty(set),
    keys: () => set,
    generation: () => generation,
    isDue,
    refresh: (milliseconds) =>
      Effect.flatMap(Monotonic.millis, (now) => {
        if (!isDue(now, milliseconds)) return Effect.void
        checkedAt = now
        return reread
      })
  }
  return file
})
