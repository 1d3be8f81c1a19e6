// `svc openapi`: the API's document as the service serves it.
import { Effect } from "effect"
import { Command } from "effect/cli"
import { HttpClient } from "effect/http"
import * as AdminTarget from "../admin/AdminTarget.ts"
import { CommandFailed } from "../CliError.ts"
import { present } from "../CommandResult.ts"
import { address, Variables } from "../terminal/HelpPage.ts"

const unread = (url: string, reason: string) =>
  new CommandFailed({
    message: `Could not read ${url}: ${reason}`,
    hint: "A service with DOCS_ENABLED=false does not serve its document."
  })

export const openapi = Command.make("openapi", AdminTarget.flags, ({ json: _, ...given }) =>
  present(
    true,
    Effect.gen(function*() {
      const service = yield* AdminTarget.find(given)
      const url = `${service.url}/openapi.json`
      const response = yield* Effect.mapError(HttpClient.get(url), ({ message }) => unread(url, message))
      if (response.status !== 200) return yield* unread(url, `HTTP ${response.status}`)
      const document = yield* Effect.mapError(response.json, () => unread(url, "it is no JSON"))
      return { document: document as never, human: Effect.void }
    })
  )).pipe(
    Command.withDescription("Print the OpenAPI document of the service, as JSON."),
    Command.annotate(Variables, [address]),
    Command.withShortDescription("Print the OpenAPI document"),
    Command.withExamples([{ command: "svc openapi > openapi.json" }])
  )
