import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Resolve } from "../src/guardedLookup.ts"
import { privateResolve, type Sources } from "../src/privateResolve.ts"

const failing = (code: string): Resolve => (host, reply) => reply(Object.assign(new Error(host), { code }), [])
const known = (address: string): Resolve => (_, reply) => reply(null, [{ address, family: 4 }])

/** A hosts file with these lines. */
const hostsFile = (text: string) =>
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "hosts-"))),
    (directory) => Effect.sync(() => rmSync(directory, { recursive: true }))
  ).pipe(Effect.map((directory) => {
    const file = join(directory, "hosts")
    writeFileSync(file, text)
    return file
  }))

const resolved = (resolve: Resolve, host: string) =>
  Effect.callback<ReadonlyArray<string> | string>((resume) => {
    resolve(host, (error, addresses) =>
      resume(Effect.succeed(
        error === null ? addresses.map(({ address }) => address) : String("code" in error ? error.code : error.message)
      )))
  })

const withSources = (sources: Sources) => (host: string) =>
  resolved(privateResolve({ hosts: "/no/file", ...sources }), host)

describe("privateResolve", () => {
  it.live("the hosts file comes before the name servers, whatever the case of a name", () =>
    Effect.gen(function*() {
      const hosts = yield* hostsFile("# names\n10.0.0.1\tintra.test  INTRA # here\n::1 intra.test\nbroken other.test\n")
      const resolve = withSources({ hosts, nameServers: known("192.0.2.1") })
      assert.deepStrictEqual(yield* resolve("intra.test"), ["10.0.0.1", "::1"])
      assert.deepStrictEqual(yield* resolve("intra"), ["10.0.0.1"])
      assert.deepStrictEqual(yield* resolve("other.test"), ["192.0.2.1"])
      assert.deepStrictEqual(yield* resolve("names"), ["192.0.2.1"])
    }))

  it.live("the system resolves the names that the name servers do not know", () =>
    Effect.gen(function*() {
      const resolve = withSources({ nameServers: failing("ENOTFOUND"), system: known("10.0.0.2") })
      assert.deepStrictEqual(yield* resolve("short"), ["10.0.0.2"])
      const unknown = withSources({ nameServers: failing("ENOTFOUND"), system: failing("ENOTFOUND") })
      assert.strictEqual(yield* unknown("short"), "ENOTFOUND")
    }))

  it.live("a name whose name server does not reply is not asked of the system", () =>
    Effect.gen(function*() {
      const resolve = withSources({ nameServers: failing("EAI_AGAIN"), system: known("10.0.0.2") })
      assert.strictEqual(yield* resolve("silent.test"), "EAI_AGAIN")
    }))

  it.live("the system has one look-up at a time, and who waits for it too long is not resolved", () =>
    Effect.gen(function*() {
      const lookUps: Array<() => void> = []
      const resolve = privateResolve({
        hosts: "/no/file",
        nameServers: failing("ENOTFOUND"),
        system: (host, reply) => lookUps.push(() => known("10.0.0.2")(host, reply)),
        timeout: "50 millis"
      })
      const names = ["silent.test", "second.test", "third.test"]
      const results = yield* Effect.forEach(names, (name) => resolved(resolve, name), { concurrency: "unbounded" })
      assert.deepStrictEqual(results, ["EAI_AGAIN", "EAI_AGAIN", "EAI_AGAIN"])
      assert.strictEqual(lookUps.length, 1)
      lookUps[0]?.()
      const later = yield* Effect.forkChild(resolved(resolve, "later.test"))
      yield* Effect.callback<void>((resume) => {
        const look = () => lookUps.length === 2 ? resume(Effect.void) : setImmediate(look)
        look()
      })
      lookUps[1]?.()
      assert.deepStrictEqual(yield* Fiber.join(later), ["10.0.0.2"])
    }))
})
