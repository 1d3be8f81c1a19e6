// The service of an administrative command: found, trusted, and with a credential. The order matters: no secret is
// read, prompted for or sent before the address is trusted.
import { Effect } from "effect"
import * as Discovery from "../discovery/Discovery.ts"
import { provenance } from "../discovery/ServiceCandidates.ts"
import * as Flags from "../Flags.ts"
import { Output } from "../terminal/Output.ts"
import * as AdminCredential from "./AdminCredential.ts"
import type { Access } from "./ServiceAccounts.ts"
import * as Trust from "./Trust.ts"

/** The common options of these commands. */
export const flags = { url: Flags.url, allowHttp: Flags.allowHttp, yes: Flags.yes, json: Flags.json }

export interface Given {
  readonly url: string | undefined
  readonly allowHttp: boolean
  readonly yes: boolean
}

export const find = Effect.fn("AdminTarget.find")(function*({ url, yes }: Given) {
  const output = yield* Output
  const service = yield* Discovery.find(url)
  yield* Trust.checkAddress(service, yes)
  if (url === undefined) {
    const { url: address, url_source: source, url_source_file: file } = service
    yield* output.note(`Service: ${address}${provenance({ source, file })}`)
  }
  return service
})

/** With `secretResponse` the response is secret too, with or without a credential. */
export const access = Effect.fn("AdminTarget.access")(function*(
  service: Discovery.Descriptor,
  { allowHttp }: Given,
  { secretResponse }: { readonly secretResponse: boolean }
) {
  const token = yield* AdminCredential.resolve(service)
  if (token !== undefined) yield* Trust.checkEncryption("the admin credential", service.url, allowHttp)
  else if (secretResponse) yield* Trust.checkEncryption("a new token", service.url, allowHttp)
  return { url: service.url, token } satisfies Access
})

/** Opens the service for a command whose response has no secret. */
export const open = Effect.fn("AdminTarget.open")(function*(given: Given) {
  return yield* access(yield* find(given), given, { secretResponse: false })
})
