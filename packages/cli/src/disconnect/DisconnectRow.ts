// The results of disconnecting one client and of revoking one account.
import * as Ending from "../clients/Ending.ts"
import type { Outcome as Ended } from "../Exit.ts"

export interface Row {
  /** The stable name. */
  readonly client: string
  /** The display name. */
  readonly name: string
  readonly status: "removed" | "not-found" | "failed" | "manual"
  readonly error: string | null
  /** The names of the entries. */
  readonly removed?: ReadonlyArray<string>
  readonly location?: string
  readonly instructions?: ReadonlyArray<string>
}

export type Revocation = {
  readonly account: string
  readonly status: "revoked" | "not-found" | "failed"
  readonly error: string | null
}

const good: ReadonlyArray<string> = ["removed", "not-found"] satisfies ReadonlyArray<Row["status"]>

export const endingOf = (rows: ReadonlyArray<Row>, revocations: ReadonlyArray<Revocation>): Ended => {
  const ending = Ending.endingOf(rows.map(({ status }) => status), (status) => good.includes(status))
  return ending === "ok" && revocations.some(({ status }) => status === "failed") ? "partial" : ending
}
