import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { createSocket } from "node:dgram"
import * as dns from "node:dns"
import { publicResolve } from "../src/publicResolve.ts"

const [typeA, typeAaaa] = [1, 28]

/** Replies with `address`, with a code of an error, or not at all. */
type Answer = (type: number) => { readonly address?: ReadonlyArray<number>; readonly code?: number } | undefined

const reply = (query: Buffer, { address, code = 0 }: NonNullable<ReturnType<Answer>>) => {
  const question = query.subarray(12, query.indexOf(0, 12) + 5)
  const [count, length] = [address === undefined ? 0 : 1, address?.length ?? 0]
  const header = Buffer.from([0x81, 0x80 | code, 0, 1, 0, count, 0, 0, 0, 0])
  const record = address === undefined
    ? []
    : [0xc0, 12, 0, question.at(-3) ?? 0, 0, 1, 0, 0, 0, 1, 0, length, ...address]
  return Buffer.concat([query.subarray(0, 2), header, question, Buffer.from(record)])
}

const nameServer = (answer: Answer) =>
  Effect.acquireRelease(
    Effect.callback<ReturnType<typeof createSocket>>((resume) => {
      const socket = createSocket("udp4")
      socket.on("message", (query, { address, port }) => {
        const given = answer(query[query.indexOf(0, 12) + 2] ?? 0)
        if (given !== undefined) socket.send(reply(query, given), port, address)
      })
      socket.bind(0, "127.0.0.1", () => resume(Effect.succeed(socket)))
    }),
    (socket) => Effect.sync(() => socket.close())
  ).pipe(Effect.map((socket) => `127.0.0.1:${socket.address().port}`))

const resolved = (server: string, host: string) =>
  Effect.callback<{ readonly code: unknown; readonly addresses: ReadonlyArray<string> }>((resume) => {
    publicResolve([server])(host, (error, addresses) =>
      resume(Effect.succeed({
        code: error === null || !("code" in error) ? undefined : error.code,
        addresses: addresses.map(({ address, family }) => `${address} ${family}`)
      })))
  })

describe("publicResolve", () => {
  it.live("a name has the addresses of both families", () =>
    Effect.gen(function*() {
      const server = yield* nameServer((type) => ({
        address: type === typeA ? [192, 0, 2, 1] : [0x20, 1, 0xd, 0xb8, ...Array.from({ length: 11 }, () => 0), 1]
      }))
      assert.deepStrictEqual(yield* resolved(server, "name.test"), {
        code: undefined,
        addresses: ["192.0.2.1 4", "2001:db8::1 6"]
      })
    }))

  it.live("a name with addresses of one family has these", () =>
    Effect.gen(function*() {
      const server = yield* nameServer((type) => type === typeAaaa ? {} : { address: [192, 0, 2, 1] })
      assert.deepStrictEqual((yield* resolved(server, "name.test")).addresses, ["192.0.2.1 4"])
    }))

  it.live("a name that does not exist is unknown, and one whose server fails cannot be resolved now", () =>
    Effect.gen(function*() {
      const [missing, failing] = [yield* nameServer(() => ({ code: 3 })), yield* nameServer(() => ({ code: 2 }))]
      assert.deepStrictEqual(yield* resolved(missing, "name.test"), { code: "ENOTFOUND", addresses: [] })
      assert.deepStrictEqual(yield* resolved(failing, "name.test"), { code: "EAI_AGAIN", addresses: [] })
    }))

  it.live("names whose servers do not reply keep no look-up of the system waiting", () =>
    Effect.gen(function*() {
      const server = yield* nameServer(() => undefined)
      let ended = 0
      for (let index = 0; index < 32; index++) publicResolve([server])(`name${index}.test`, () => ended++)
      yield* Effect.callback<void>((resume) => dns.lookup("localhost", () => resume(Effect.void)))
      assert.strictEqual(ended, 0)
    }))
})
