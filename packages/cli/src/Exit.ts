// The exit codes: all of them, here and nowhere else. A new way for a run to end, or a new error, does not compile until
// it has its place in these tables.
import type { CliError } from "./CliError.ts"

/** How a run ends. `partial` is for commands that do one thing to several clients. */
export type Outcome = "ok" | "failed" | "misused" | "partial" | "interrupted"

export const codes: { readonly [E in Outcome]: number } = {
  ok: 0,
  failed: 1,
  misused: 2,
  partial: 3,
  interrupted: 130
}

const endings: { readonly [Tag in CliError["_tag"]]: Outcome } = {
  CommandFailed: "failed",
  UsageError: "misused",
  Aborted: "failed"
}

export const endingOf = (error: CliError): Outcome => endings[error._tag]
