// Keeps the stored secrets of a table sealed with the newest key: also what was stored before a key was set, and what
// an older key has sealed.
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import * as JobKind from "@svc-runtime/engine/jobs/JobKind"
import { Secrets } from "@svc-runtime/http/calls/Secrets"
import { Effect, Result } from "effect"

/** A row with secrets, as they are stored. */
export interface SecretRow {
  readonly seq: number
  /** What its secrets are sealed for. */
  readonly row: string
  readonly secrets: ReadonlyArray<string | null>
}

/** Rows that are read at a time. */
export const pageSize = 100

export interface SecretRows {
  /**
   * At most `pageSize` rows behind `after` with a secret that does not begin with the form, in their order. Without a
   * form, those with a sealed secret.
   */
  readonly oldSecrets: (
    form: string | undefined,
    after: number
  ) => Effect.Effect<ReadonlyArray<SecretRow>, StorageUnavailable>
  /** False: the secrets are no longer those of the row. */
  readonly replaceSecrets: (
    row: SecretRow,
    secrets: ReadonlyArray<string | null>
  ) => Effect.Effect<boolean, StorageUnavailable>
}

/**
 * Seals what is not sealed with the newest key, and leaves what cannot be opened as it is. Each row is replaced only if
 * it is the one that was read. Returns how many were replaced.
 *
 * @example
 * ```ts
 * yield* SecretRows.reseal(yield* WebhookStore)
 * ```
 */
export const reseal = Effect.fnUntraced(function*(rows: SecretRows) {
  const { form, isOld, open, seal } = yield* Secrets
  let [after, count] = [0, 0]
  for (;;) {
    const page = yield* rows.oldSecrets(form, after)
    for (const each of page) {
      after = each.seq
      const sealed = yield* Effect.forEach(each.secrets, (text) => {
        if (text === null || (form !== undefined && !isOld(text))) return Effect.succeed(text)
        return open(each.row, text).pipe(
          Effect.flatMap((secret) => form === undefined ? Effect.succeed(text) : seal(each.row, secret)),
          Effect.result,
          // the log has a line about it
          Effect.map(Result.getOrElse(() => text))
        )
      })
      const isSame = sealed.every((text, index) => text === each.secrets[index])
      if (!isSame && (yield* rows.replaceSecrets(each, sealed))) count++
    }
    if (page.length < pageSize) return count
  }
})

/** The repeating job that does it. There is none without a key. */
export const jobs = Effect.fnUntraced(function*(name: string, rows: SecretRows) {
  const secrets = yield* Secrets
  const handle = () => Effect.provideService(reseal(rows), Secrets, secrets)
  return secrets.hasKey ? [JobKind.repeating({ name, every: "1 hour", handle })] : []
})
