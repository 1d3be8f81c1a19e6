// Keeps the stored secrets of a table sealed with the newest key: also what was stored before a key was set, and what
// an older key has sealed.
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import * as JobKind from "@svc-runtime/engine/jobs/JobKind"
import { Secrets } from "@svc-runtime/http/calls/Secrets"
import { Effect } from "effect"

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

/** Each row with a secret that is not in the form of the newest key. */
const eachOld = Effect.fnUntraced(function*<R>(
  rows: SecretRows,
  use: (row: SecretRow) => Effect.Effect<void, StorageUnavailable, R>
) {
  const { form } = yield* Secrets
  for (let after = 0;;) {
    const page = yield* rows.oldSecrets(form, after)
    yield* Effect.forEach(page, use, { discard: true })
    if (page.length < pageSize) return
    after = page.at(-1)?.seq ?? after
  }
})

/**
 * Seals what is not sealed with the newest key, and leaves what cannot be opened as it is. Each row is replaced only if
 * it is the one that was read. Returns how many were replaced.
 */
export const reseal = Effect.fnUntraced(function*(rows: SecretRows) {
  const { form, isOld, open, seal } = yield* Secrets
  let count = 0
  yield* eachOld(
    rows,
    Effect.fnUntraced(function*(each) {
      const sealed = yield* Effect.forEach(each.secrets, (text) => {
        if (text === null || (form !== undefined && !isOld(text))) return Effect.succeed(text)
        return open(each.row, text).pipe(
          Effect.flatMap((secret) => form === undefined ? Effect.succeed(text) : seal(each.row, secret)),
          // the log has a line about it
          Effect.orElseSucceed(() => text)
        )
      })
      const isSame = sealed.every((text, index) => text === each.secrets[index])
      if (!isSame && (yield* rows.replaceSecrets(each, sealed))) count++
    })
  )
  return count
})

/** Why the current secrets of rows cannot be opened, by what they are sealed for. The first one of a row is current. */
export const problems = Effect.fnUntraced(function*(rows: SecretRows) {
  const { open } = yield* Secrets
  const found = new Map<string, string>()
  yield* eachOld(
    rows,
    ({ row, secrets: [current = null] }) =>
      current === null ? Effect.void : Effect.match(open(row, current), {
        onSuccess: () => undefined,
        onFailure: ({ message }) => void found.set(row, message)
      })
  )
  return found
})

/** The repeating job that does it. There is none without a key. */
export const jobs = Effect.fnUntraced(function*(name: string, rows: SecretRows) {
  const secrets = yield* Secrets
  const handle = () => Effect.provideService(reseal(rows), Secrets, secrets)
  return secrets.hasKey ? [JobKind.repeating({ name, every: "1 hour", handle })] : []
})
