// Calls `svc disconnect` in a home with clients.
import { Effect } from "effect"
import { cli, documentOf, type Machine } from "../Cli.ts"
import { files, type Home, keys } from "../connect/Home.ts"

interface Document {
  readonly os: Record<string, unknown> | null
  readonly server_name: string | null
  readonly target_urls: ReadonlyArray<string>
  readonly results: ReadonlyArray<{
    readonly client: string
    readonly status: string
    readonly error: string | null
    readonly removed: ReadonlyArray<string> | null
    readonly location: string | null
    readonly instructions: ReadonlyArray<string> | null
  }>
  readonly revocations: ReadonlyArray<
    { readonly account: string; readonly status: string; readonly error: string | null }
  >
  readonly tokens_left: boolean
  readonly exit_code: number
}

export const disconnect = (home: Home, argv: ReadonlyArray<string> = [], machine: Machine = {}) =>
  cli(["disconnect", ...argv, "--json"], home, machine).pipe(
    Effect.map((ran) => ({ ...ran, document: documentOf<Document>(ran) }))
  )

export const statuses = ({ results }: Document) => results.map(({ status }) => status)
export const all = (status: string) => keys.map(() => status)
export const contents = (home: Home) => keys.map((key) => home.read(files[key]))
