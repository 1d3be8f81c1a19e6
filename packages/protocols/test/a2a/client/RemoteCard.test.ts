import { assert, describe, it } from "@effect/vitest"
import * as Card from "../../../src/a2a/Card.ts"
import * as RemoteCard from "../../../src/a2a/client/RemoteCard.ts"

const described = {
  id: "plain",
  name: "Plain",
  description: "",
  url: "https://svc.example/a2a/plain",
  isClosed: false,
  hasPushes: true,
  examples: []
}

const shortOf = (card: Parameters<typeof RemoteCard.of>[0]) =>
  RemoteCard.of(card)?.interfaces.map(({ binding, url, version }) => `${version} ${binding} ${url}`)

describe("the card of a remote agent", () => {
  it("a card names JSON-RPC of 1.0 first, and then the other wires of 1.0 and 0.3", () => {
    assert.deepStrictEqual(shortOf(Card.make(described, "1.0")), [
      "1.0 JSONRPC https://svc.example/a2a/plain",
      "1.0 HTTP+JSON https://svc.example/a2a/plain"
    ])
    assert.include(shortOf(Card.make(described, "0.3")) ?? [], "0.3 HTTP+JSON https://svc.example/a2a/plain")
  })

  it("a card of 0.3 has its preferred transport first, and JSON-RPC when it names none", () => {
    const card = {
      name: "old",
      protocolVersion: "0.3.0",
      url: "https://a.example/rest",
      preferredTransport: "HTTP+JSON",
      additionalInterfaces: [{ url: "https://a.example/rpc", transport: "JSONRPC" }]
    }
    assert.deepStrictEqual(shortOf(card), ["0.3 HTTP+JSON https://a.example/rest", "0.3 JSONRPC https://a.example/rpc"])
    assert.deepStrictEqual(shortOf({ name: "old", url: "https://a.example" }), ["0.3 JSONRPC https://a.example"])
  })

  it("a card has no interface of another version or binding", () => {
    const supportedInterfaces = [
      { url: "https://a.example/1", protocolBinding: "GRPC", protocolVersion: "1.0" },
      { url: "https://a.example/2", protocolBinding: "JSONRPC", protocolVersion: "2.0" },
      { url: 3, protocolBinding: "JSONRPC", protocolVersion: "1.0" },
      "nothing"
    ]
    assert.deepStrictEqual(shortOf({ name: "new", supportedInterfaces }), [])
  })

  it("a card names the extensions that a client must support", () => {
    const extensions = [{ uri: "urn:one", required: true }, { uri: "urn:two" }]
    assert.deepStrictEqual(RemoteCard.of({ name: "strict", capabilities: { extensions } })?.required, ["urn:one"])
  })

  it("a card is nothing when it is no object with a name", () => {
    assert.isUndefined(RemoteCard.of([]))
    assert.isUndefined(RemoteCard.of({ name: "" }))
  })
})
