// Runs of `svc connect` against a service of the test, as a script and as a person.
import { Effect } from "effect"
import { cli, documentOf, type Machine } from "../Cli.ts"
import type { Home } from "./Home.ts"
import { adminKey, type Platform } from "./Platform.ts"

interface Result {
  readonly client: string
  readonly status: string
  readonly error: string | null
  readonly location: string | null
  readonly account: Record<string, unknown> | null
  readonly verify: Record<string, unknown> | null
  readonly instructions: ReadonlyArray<string> | null
  readonly note?: string | null
  readonly url: string | null
  readonly rotated?: true
  readonly replaced_url?: string
  readonly replaced_legacy?: string
  readonly replaced_token_entry?: true
  readonly auto?: true
}

export interface Document {
  readonly os: Record<string, unknown>
  readonly server_name: string
  readonly results: ReadonlyArray<Result>
  readonly warning: string | null
  readonly exit_code: number
}

export const withKey = { PLATFORM_ADMIN_TOKEN: adminKey }

export const connect = (home: Home, service: Platform, argv: ReadonlyArray<string> = [], machine: Machine = {}) =>
  cli(["connect", ...argv, "--json"], home, { http: service.http, variables: withKey, ...machine }).pipe(
    Effect.map((ran) => ({ ...ran, document: documentOf<Document>(ran) }))
  )

/** The command as a person executes it at a terminal. */
export const connectHuman = (home: Home, service: Platform, argv: ReadonlyArray<string> = [], machine: Machine = {}) =>
  cli(["connect", ...argv], home, { http: service.http, variables: withKey, terminal: true, ...machine })

export const statuses = ({ results }: Document) => results.map(({ status }) => status)
