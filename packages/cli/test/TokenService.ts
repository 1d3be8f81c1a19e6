// A service that responds to the requests of `svc tokens`.
import { Effect } from "effect"
import { cli, type Machine, type Place, place } from "./Cli.ts"
import { alive, fakeService, Refusal } from "./FakeService.ts"

export const local = "http://localhost:7777"

export const account = (name: string, fields: object = {}) => ({
  id: `id-${name}`,
  name,
  principal: `sa:${name}`,
  user_id: null,
  token_prefix: "svc_pat_abcdefgh",
  scopes: ["agents:run"],
  created_at: 1_790_000_000,
  expires_at: 1_797_776_000,
  last_used_at: null,
  revoked_at: null,
  created_by: null,
  ...fields
})

export const closed = alive({ auth_mode: "security_key" })
export const minted = new Refusal(201, { ...account("ci"), token: "svc_pat_secret" })
export const admin = { PLATFORM_ADMIN_TOKEN: "the admin" }

/** Runs against a service with these routes; tells what it was asked for service accounts. */
export const against = (routes: Record<string, unknown>, address = local) => {
  const service = fakeService({ [address]: routes })
  return {
    run: (argv: ReadonlyArray<string>, machine: Machine = {}, prepare: (at: Place) => void = () => undefined) =>
      Effect.gen(function*() {
        const at = yield* place
        prepare(at)
        return yield* cli(["tokens", ...argv], at, { http: service.http, ...machine })
      }),
    sent: () => service.requests.filter(({ url }) => url.includes("/service-accounts"))
  }
}
