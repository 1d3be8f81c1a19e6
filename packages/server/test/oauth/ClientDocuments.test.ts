// Clients whose id is the URL of a document about them. The service fetches what a caller names, so it looks closely.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { ask, at } from "../Wire.ts"
import * as Browser from "./Browser.ts"
import { origin } from "./Protected.ts"
import { authorizeUrl, browserOf, builtIn, codeFields, form, key, redirectUri, tokensOf } from "./SignIn.ts"

const json = { "content-type": "application/json" }

/** A server of documents. `answer` gets the URL of the request. */
const documents = Effect.fnUntraced(function*(answer: (url: string, response: ServerResponse) => void) {
  const requested: Array<string> = []
  const server = createServer((request, response) => {
    requested.push(request.url ?? "")
    answer(`${base}${request.url}`, response)
  })
  yield* Effect.acquireRelease(
    Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))),
    () =>
      Effect.promise(() =>
        new Promise((resolve) => {
          server.close(resolve)
          server.closeAllConnections()
        })
      )
  )
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { base, requested }
})

const describing = (url: string, response: ServerResponse, changes: object = {}) =>
  response.writeHead(200, json).end(JSON.stringify({
    client_id: url,
    client_name: "Described app",
    redirect_uris: [redirectUri],
    ...changes
  }))

const path = (url: string) => url.replace(origin, "")

describe("client metadata documents", () => {
  it.effect("a client signs in without a registration, and its document is read once", () =>
    Effect.gen(function*() {
      const server = yield* builtIn()
      const { base, requested } = yield* documents(describing)
      const client_id = `${base}/client.json`
      const send = browserOf(server)
      const page = yield* Browser.open(send, authorizeUrl(client_id))
      assert.include(page.html, "Described app")
      const answer = yield* Browser.approve(send, authorizeUrl(client_id), key)
      const code = answer.searchParams.get("code") ?? ""
      tokensOf(yield* form(server, "/token", codeFields(client_id, code)))
      assert.deepStrictEqual(requested, ["/client.json"])
    }))

  it.effect.each<readonly [string, (url: string, response: ServerResponse) => void]>([
    ["names another client", (url, response) => describing(url, response, { client_id: `${url}/other` })],
    ["names no client", (url, response) => describing(url, response, { client_id: undefined })],
    ["has a secret", (url, response) => describing(url, response, { client_secret: "s" })],
    [
      "has no redirect URI of the request",
      (url, response) => describing(url, response, { redirect_uris: ["https://other.example/"] })
    ],
    ["is not JSON", (_, response) => response.writeHead(200, json).end("<html>")],
    ["has another type", (_, response) => response.writeHead(200, { "content-type": "text/html" }).end("{}")],
    ["is larger than 16 KiB", (url, response) => describing(url, response, { padding: "x".repeat(20_000) })],
    ["does not exist", (_, response) => response.writeHead(404, json).end("{}")],
    ["redirects", (url, response) => {
      if (url.endsWith("/target")) describing(url.replace("/target", ""), response)
      else response.writeHead(302, { location: `${url}/target` }).end()
    }]
  ])("a document that %s is refused", ([, answer]) =>
    Effect.gen(function*() {
      const server = yield* builtIn()
      const { base } = yield* documents(answer)
      const refused = yield* ask(server, path(authorizeUrl(`${base}/client.json`)))
      assert.strictEqual(refused.status, 400)
      assert.isNull(refused.headers.get("location"))
      assert.strictEqual(at(refused.json, "error"), "invalid_request")
    }))

  it.effect("a document at a private address is not fetched", () =>
    Effect.gen(function*() {
      const server = yield* builtIn({ fetch: {} })
      const { base, requested } = yield* documents(describing)
      const ids = [
        `${base}/client.json`,
        base.replace("http", "https") + "/client.json",
        "https://169.254.169.254/latest/meta-data",
        "https://[::1]/client.json",
        "https://10.0.0.1/client.json"
      ]
      for (const id of ids) assert.strictEqual((yield* ask(server, path(authorizeUrl(id)))).status, 400)
      assert.deepStrictEqual(requested, [])
    }))

  it.effect("an id that is no plain https URL with a path is an unknown client", () =>
    Effect.gen(function*() {
      const server = yield* builtIn()
      const ids = [
        "http://app.example/client.json",
        "https://app.example/",
        "https://app.example/a/../client.json",
        "https://user:secret@app.example/client.json",
        "https://app.example/client.json#a",
        "file:///etc/passwd",
        `https://app.example/${"x".repeat(400)}`
      ]
      for (const id of ids) {
        const { json, status } = yield* ask(server, path(authorizeUrl(id)))
        assert.deepStrictEqual([status, at(json, "error_description")], [400, "The client is unknown"], id)
      }
    }))

  it.effect("slow documents hold up no more than twenty requests", () =>
    Effect.gen(function*() {
      const server = yield* builtIn()
      const waiting: Array<readonly [string, ServerResponse]> = []
      const { base, requested } = yield* documents((url, response) => {
        waiting.push([url, response])
        if (waiting.length === 20) overfull()
      })
      let overfull = () => {}
      const isFull = new Promise<void>((resolve) => overfull = resolve)
      const statusOf = (name: string) =>
        Effect.map(ask(server, path(authorizeUrl(`${base}/${name}`))), ({ status }) => status)
      const slow = Effect.all(Array.from({ length: 20 }, (_, index) => statusOf(`slow-${index}`)), {
        concurrency: "unbounded"
      })
      const late = Effect.gen(function*() {
        yield* Effect.promise(() => isFull)
        const status = yield* statusOf("late")
        for (const [url, response] of waiting) describing(url, response)
        return status
      })
      const [statuses, status] = yield* Effect.all([slow, late], { concurrency: "unbounded" })
      assert.strictEqual(status, 400)
      assert.deepStrictEqual(new Set(statuses), new Set([302]))
      assert.lengthOf(requested, 20)
    }))
})
