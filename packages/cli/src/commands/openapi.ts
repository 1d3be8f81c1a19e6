// `svc openapi`: the API's document as the service serves it.
import { Effect } from "effect"
import { Command } from "effect/cli"
import { HttpClientRequest } from "effect/http"
import * as AdminTarget from "../admin/AdminTarget.ts"
import { exchange, jsonOf } from "../calls/Exchange.ts"
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
      const reply = yield* Effect.mapError(
        exchange(HttpClientRequest.get(url), "30 seconds"),
        ({ reason }) => unread(url, reason)
      )
      if (reply.status !== 200) return yield* unread(url, `HTTP ${reply.status}`)
      const document = yield* Effect.mapError(Effect.fromOption(jsonOf(reply)), () => unread(url, "it is no JSON"))
      return { document, human: Effect.void }
    })
  )).pipe(
    Command.withDescription("Print the OpenAPI document of the service, as JSON."),
    Command.annotate(Variables, [address]),
    Command.withShortDescription("Print the OpenAPI document"),
    Command.withExamples([{ command: "svc openapi > openapi.json" }])
  )
