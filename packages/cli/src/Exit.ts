// The table of exit codes. A new kind of result or error must be added here to compile.
import type { CliError } from "./CliError.ts"

/** The kinds of results. `partial` is for commands on several clients, and for runs that pause. */
export type Outcome = "ok" | "failed" | "misused" | "partial" | "hung-up" | "interrupted" | "terminated"

export const codes: { readonly [E in Outcome]: number } = {
  ok: 0,
  failed: 1,
  misused: 2,
  partial: 3,
  "hung-up": 129,
  interrupted: 130,
  terminated: 143
}

const endings: { readonly [Tag in CliError["_tag"]]: Outcome } = {
  CommandFailed: "failed",
  UsageError: "misused",
  Aborted: "failed"
}

export const endingOf = (error: CliError): Outcome => endings[error._tag]
