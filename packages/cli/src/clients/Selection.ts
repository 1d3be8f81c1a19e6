// The value of `--clients`: stable names or display names, in any case.
import { Effect } from "effect"
import { UsageError } from "../CliError.ts"
import type { Client } from "./Client.ts"
import * as Clients from "./Clients.ts"
import * as HostedApps from "./HostedApps.ts"

export interface Selection {
  readonly clients: ReadonlyArray<Client>
  readonly apps: ReadonlyArray<HostedApps.HostedApp>
}

interface SelectedClient {
  readonly key: string
  readonly aliases: ReadonlyArray<string>
}

const isNamed = (word: string) => ({ aliases, key }: SelectedClient): boolean => key === word || aliases.includes(word)

const accepted: string = [...Clients.all, ...HostedApps.all]
  .flatMap(({ aliases, key }) => [key, ...aliases])
  .join(", ")

/** The clients in the given order, each once. */
export const parse = Effect.fn("Selection.parse")(function*(list: string): Effect.fn.Return<Selection, UsageError> {
  const clients = new Set<Client>()
  const apps = new Set<HostedApps.HostedApp>()
  for (const word of list.split(",").map((part) => part.trim()).filter((part) => part !== "")) {
    const wanted = isNamed(word.toLowerCase())
    const client = Clients.all.find(wanted)
    const app = HostedApps.all.find(wanted)
    if (client !== undefined) clients.add(client)
    else if (app !== undefined) apps.add(app)
    else return yield* new UsageError({ message: `Unknown client: ${word}\nThere are: ${accepted}` })
  }
  return { clients: [...clients], apps: [...apps] }
})
