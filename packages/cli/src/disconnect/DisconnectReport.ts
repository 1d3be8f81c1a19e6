// The report of `svc disconnect` for people.
import { Effect } from "effect"
import { label, tilde } from "../clients/Labels.ts"
import { Environment } from "../Environment.ts"
import { Output } from "../terminal/Output.ts"
import type { Disconnected } from "./Disconnect.ts"
import type { Revocation, Row } from "./DisconnectRow.ts"

const printRow = Effect.fnUntraced(function*({ error, instructions, location = "", name, removed = [], status }: Row) {
  const output = yield* Output
  const { home } = yield* Environment
  switch (status) {
    case "removed": {
      const entries = removed.map((entry) => `"${entry}"`).join(", ")
      return yield* output.success(`${label("removed", name)} ${entries} -> ${tilde(home, location)}`)
    }
    case "not-found":
      return yield* output.line(label("not found", name))
    case "failed":
      return yield* output.error(`${label("failed", name)}: ${tilde(home, error ?? "")}`)
    case "manual":
      yield* output.warn(label("action needed", name))
      for (const step of instructions ?? []) yield* output.line(`      ${step}`)
  }
})

const printRevocation = Effect.fnUntraced(function*({ account, error, status }: Revocation) {
  const output = yield* Output
  switch (status) {
    case "revoked":
      return yield* output.success(label("revoked", account))
    case "not-found":
      return yield* output.line(label("no account", account))
    case "failed":
      return yield* output.error(`${label("revoke failed", account)}: ${error}`)
  }
})

export const print = Effect.fn("DisconnectReport.print")(function*(
  { leftTokens, revocations, rows, service, wanted }: Disconnected
) {
  const output = yield* Output
  for (const row of rows) yield* printRow(row)
  for (const revocation of revocations) yield* printRevocation(revocation)
  const removed = rows.filter(({ status }) => status === "removed")
  if (removed.length === 0) return
  yield* output.line()
  yield* output.line(`Restart the app${removed.length === 1 ? "" : "s"} to forget its tools.`)
  if (!leftTokens) return
  const at = service === null ? "" : ` --url ${service.url}`
  if (wanted.revoke) {
    return yield* output.warn(
      "Some tokens that the entries held belong to no account that was revoked, and can still be valid. " +
        `See the accounts with svc tokens list${at}.`
    )
  }
  yield* output.line(
    `The tokens that the entries held stay valid. To revoke them: svc tokens revoke <name>${at}, or svc disconnect --revoke${at}`
  )
})
