// Resolves names where private networks may be reached: by the hosts file and the name servers, and by the system what
// these do not know, such as names with a search domain. Nothing ends a look-up of the system, and it occupies one of
// few threads, so there is one at a time.
import { Deferred, type Duration, Effect, Exit, Semaphore } from "effect"
import type { LookupAddress } from "node:dns"
import { readFile } from "node:fs"
import { isAddress } from "./FetchPolicy.ts"
import { type Resolve, systemResolve } from "./guardedLookup.ts"
import { publicResolve } from "./publicResolve.ts"

export interface Sources {
  readonly hosts?: string | undefined
  readonly nameServers?: Resolve | undefined
  readonly system?: Resolve | undefined
  /** The time limit of a look-up of the system, with the time until it begins. */
  readonly timeout?: Duration.Input | undefined
}

type Addresses = ReadonlyArray<LookupAddress>

const fromHosts = (file: string, host: string): Effect.Effect<Addresses> =>
  Effect.callback((resume) =>
    readFile(file, "utf8", (error, text) => {
      const lines = error === null ? text.split("\n").map((line) => line.replace(/#.*/, "").trim().split(/\s+/)) : []
      resume(Effect.succeed(lines.flatMap(([address = "", ...names]) =>
        isAddress(address) && names.some((name) =>
            name.toLowerCase() === host.toLowerCase()
          )
          ? [{ address, family: address.includes(":") ? 6 : 4 }]
          : []
      )))
    })
  )

const ask = (resolve: Resolve, host: string): Effect.Effect<Addresses, Error> =>
  Effect.callback((resume) =>
    resolve(host, (error, addresses) => resume(error === null ? Effect.succeed(addresses) : Effect.fail(error)))
  )

/** The threads are those of the process, and so is the turn. */
const turn = Semaphore.makeUnsafe(1)

const isUnknown = (error: Error) => "code" in error && error.code === "ENOTFOUND"

export const privateResolve = (sources: Sources = {}): Resolve => {
  const { hosts = "/etc/hosts", nameServers = publicResolve(), system = systemResolve, timeout = "4 seconds" } = sources

  /** The turn ends with the look-up, not with the wait for it. */
  const start = (host: string) =>
    Effect.sync(() => {
      const replied = Deferred.makeUnsafe<Addresses, Error>()
      system(host, (error, addresses) => {
        Effect.runSync(turn.release(1))
        Deferred.doneUnsafe(replied, error === null ? Exit.succeed(addresses) : Exit.fail(error))
      })
      return replied
    })

  const bySystem = (host: string) =>
    Effect.uninterruptibleMask((restore) =>
      restore(turn.take(1)).pipe(
        Effect.andThen(start(host)),
        Effect.flatMap((replied) => restore(Deferred.await(replied)))
      )
    ).pipe(Effect.timeoutOrElse({
      duration: timeout,
      orElse: () => Effect.fail(Object.assign(new Error(`${host} was not resolved in time`), { code: "EAI_AGAIN" }))
    }))

  const resolve = Effect.fnUntraced(function*(host: string): Effect.fn.Return<Addresses, Error> {
    const listed = yield* fromHosts(hosts, host)
    if (listed.length > 0) return listed
    return yield* Effect.catchIf(ask(nameServers, host), isUnknown, () => bySystem(host))
  })

  return (host, reply) =>
    Effect.runFork(Effect.match(resolve(host), {
      onFailure: (error) => reply(error, []),
      onSuccess: (addresses) => reply(null, addresses)
    }))
}
