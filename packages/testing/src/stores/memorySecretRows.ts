// `SecretRows` of rows in memory.
import { pageSize, type SecretRow, type SecretRows } from "@svc-runtime/features/secrets/SecretRows"
import { Effect } from "effect"

/** `all` are the rows in their order. */
export const memorySecretRows = (
  all: () => ReadonlyArray<SecretRow>,
  change: (seq: number, secrets: SecretRow["secrets"]) => void
): SecretRows => ({
  oldSecrets: (form, after) =>
    Effect.sync(() => {
      const isOld = (text: string | null) =>
        text !== null && (form === undefined ? text.startsWith("sealed:") : !text.startsWith(form))
      return all().filter(({ secrets, seq }) => seq > after && secrets.some(isOld)).slice(0, pageSize)
    }),
  replaceSecrets: ({ secrets: before, seq }, secrets) =>
    Effect.sync(() => {
      const found = all().find((row) => row.seq === seq)
      if (found === undefined || found.secrets.some((text, index) => text !== before[index])) return false
      change(seq, secrets)
      return true
    })
})
