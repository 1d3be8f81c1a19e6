// Resolves names by asking the name servers. The system's look-up occupies one of few threads until it ends, so a few
// names whose servers do not reply would keep all other names of the process waiting.
import { Effect, Result } from "effect"
import * as dns from "node:dns"
import type { Resolve } from "./guardedLookup.ts"

const options = { timeout: 2000, tries: 2 }

/** The names of the errors of the system's look-up. */
const codeOf = ({ code }: NodeJS.ErrnoException): string =>
  code === dns.NOTFOUND || code === dns.NODATA ? "ENOTFOUND" : "EAI_AGAIN"

const ask = (resolver: dns.Resolver, host: string, family: 4 | 6) =>
  Effect.callback<ReadonlyArray<dns.LookupAddress>, NodeJS.ErrnoException>((resume) => {
    const done = (error: NodeJS.ErrnoException | null, addresses: ReadonlyArray<string>) =>
      resume(error === null ? Effect.succeed(addresses.map((address) => ({ address, family }))) : Effect.fail(error))
    if (family === 4) resolver.resolve4(host, done)
    else resolver.resolve6(host, done)
  })

/** `servers`: addresses with ports. Those of the system, when left out. */
export const publicResolve = (servers?: ReadonlyArray<string>): Resolve => (host, reply) => {
  // a new one reads the name servers of the system, which can change
  const resolver = new dns.Resolver(options)
  if (servers !== undefined) resolver.setServers(servers)
  const replies = Effect.all([ask(resolver, host, 4), ask(resolver, host, 6)], { concurrency: 2, mode: "result" })
  Effect.runCallback(replies, {
    onExit: (exit) => {
      const results = exit._tag === "Success" ? exit.value : []
      const addresses = results.flatMap((result) => Result.isSuccess(result) ? result.success : [])
      if (addresses.length > 0) return reply(null, addresses)
      const codes = results.flatMap((result) => Result.isFailure(result) ? [codeOf(result.failure)] : [])
      const code = codes.includes("EAI_AGAIN") ? "EAI_AGAIN" : "ENOTFOUND"
      reply(Object.assign(new Error(`${host} has no address`), { code }), [])
    }
  })
}
