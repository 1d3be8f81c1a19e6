// The result of connecting one client: a row of the report. Programs get its stable name, people its display name.
import type { Account } from "../admin/ServiceAccounts.ts"
import * as Rows from "../clients/Rows.ts"
import type { Outcome as Ended } from "../Exit.ts"
import type { Verification } from "../mcp/Verification.ts"

export type Status = "connected" | "already-connected" | "needs-login" | "skipped" | "failed" | "manual"

/** Keys that do not apply are left out. */
export interface Outcome {
  readonly status: Status
  readonly error: string | null
  readonly location?: string
  readonly url?: string
  readonly account?: Account
  readonly verify?: Verification
  readonly instructions?: ReadonlyArray<string>
  readonly note?: string | null
  readonly rotated?: true
  readonly replaced_url?: string
  readonly replaced_legacy?: string
  readonly replaced_token_entry?: true
  readonly auto?: true
}

export interface Row extends Outcome {
  /** The stable name. */
  readonly client: string
  /** The display name. */
  readonly name: string
}

const good: ReadonlyArray<string> = ["connected", "already-connected", "needs-login"] satisfies ReadonlyArray<Status>

export const endingOf = (rows: ReadonlyArray<Row>): Ended =>
  Rows.endingOf(rows.map(({ status }) => status), (status) => good.includes(status))
