// Responses that the client without Effect does not expect: pages, errors of proxies, bodies that break off.
import { assert, describe, it } from "@effect/vitest"
import { Svc, SvcConnectionError, SvcError } from "@svc-runtime/client"
import { vi } from "vitest"
import { eventStream, frame, json, pieces, respondingOnce, respondingWith, thrownBy } from "./Responses.ts"

const asJson = { headers: { "content-type": "application/json" } }

describe("a request of the client without Effect", () => {
  it.each(["", ".", ".."])("the id %j would change the path, and is refused without a request", async (id) => {
    const { sent, svc } = respondingWith(() => json({}))
    assert.instanceOf(await thrownBy(() => svc.sessions.delete(id)), TypeError)
    assert.throws(() => svc.agent(id), TypeError)
    assert.throws(() => svc.agent(undefined as never), TypeError)
    const run = { run_id: id, session_id: "s" }
    assert.instanceOf(await thrownBy(() => svc.agent("a").cancel(run)), TypeError)
    assert.instanceOf(await thrownBy(() => svc.agent("a").fork(id)), TypeError)
    assert.lengthOf(sent, 0)
  })

  it("an id with characters that paths give a meaning is one segment", async () => {
    const { sent, svc } = respondingWith(() => json({}))
    await svc.sessions.get("../a?b#c%2e\\d")
    assert.strictEqual(sent[0]?.path, "/sessions/..%2Fa%3Fb%23c%252e%5Cd")
  })

  it("the options of a method without a query and without a body are options, and no part of the address", async () => {
    const { sent, svc } = respondingWith(() => json([]))
    await svc.agents.list({ headers: { "x-a": "1" } })
    await svc.sessions.list({ limit: 1 }, { headers: { "x-a": "2" } })
    assert.deepStrictEqual(sent.map(({ headers, path }) => [path, headers.get("x-a")]), [
      ["/agents", "1"],
      ["/sessions?limit=1", "2"]
    ])
  })

  it("a page in place of JSON is an error that says so", async () => {
    const { svc } = respondingWith(() =>
      new Response("<html>", { headers: { "content-type": "text/html; charset=utf-8" } })
    )
    const error = await thrownBy(() => svc.agent("a").run("hi"))
    assert.instanceOf(error, SvcError)
    assert.strictEqual(error.status, 200)
    assert.strictEqual(
      error.detail,
      "http://svc.example/agents/a/runs responded with text/html. Is baseUrl the address of a service of Svc?"
    )
  })

  it.each<[string, () => Response, string]>([
    [
      "a page in place of an error",
      () => new Response("<html>", { status: 404, headers: { "content-type": "text/html" } }),
      "http://svc.example/agents/a/runs responded with 404 and text/html. Is baseUrl the address of a service of Svc?"
    ],
    [
      "an error of another program",
      () => json({ detail: "Not Found" }, { status: 404 }),
      "http://svc.example/agents/a/runs: Not Found. Is baseUrl the address of a service of Svc?"
    ],
    [
      "JSON of another program",
      () => json({ hello: "world" }),
      "http://svc.example/agents/a/runs responded with something that is no run. " +
      "Is baseUrl the address of a service of Svc?"
    ],
    ["an error of the service", () => json({ detail: "Gone", error_code: "NOT_FOUND" }, { status: 404 }), "Gone"],
    ["a gateway", () => new Response("<html>", { status: 502 }), "The service responded with status 502"]
  ])("%s has a text that says whether the address is wrong", async (_, response, detail) => {
    const { svc } = respondingOnce(response)
    const error = await thrownBy(() => svc.agent("a").run("hi"))
    assert.instanceOf(error, SvcError)
    assert.strictEqual(error.detail, detail)
  })

  it.each<readonly [object, string]>([
    [{ baseURL: "http://svc.example" }, "there is no option 'baseURL'. Did you mean 'baseUrl'?"],
    [{ url: "http://svc.example" }, "there is no option 'url'. Did you mean 'baseUrl'?"],
    [{ baseUrl: "http://svc.example", apiKey: "x" }, "there is no option 'apiKey'. Did you mean 'token'?"],
    [{ baseUrl: "http://svc.example", max_retries: 1 }, "there is no option 'max_retries'. Did you mean 'retries'?"],
    [
      { baseUrl: "http://svc.example", colour: 1 },
      "there is no option 'colour'. Its options are baseUrl, token, headers, fetch, retries, onWarning"
    ],
    ...["localhost:7777", "svc.example", "127.0.0.1:7777", " http://svc.example"].map((baseUrl) =>
      [
        { baseUrl },
        "baseUrl must begin with http:// or https://, as in new Svc({ baseUrl: \"http://127.0.0.1:7777\" })"
      ] as const
    )
  ])("a client refuses what would have no effect with a sentence: %j", (given, sentence) => {
    assert.throws(() => new Svc(given as never), `new Svc: ${sentence}`)
  })

  it.each(["", "/svc", "HTTPS://svc.example", "./svc"])("a client takes the address %j", (baseUrl) => {
    assert.instanceOf(new Svc({ baseUrl, token: undefined, unknown: undefined } as never), Svc)
  })

  it.each([undefined, {}, { baseUrl: 5 }, "http://svc.example"])(
    "a client without an address says how to give it one: %j",
    (given) => {
      assert.throws(
        () => new Svc(given as never),
        "new Svc needs a baseUrl: new Svc({ baseUrl: \"http://127.0.0.1:7777\" })"
      )
    }
  )

  it("what the service has not used of a request is shown once for each text", async () => {
    const warning = "299 - \"The field 'a' is unknown.\", 299 - \"The field 'b' is unknown.\", 110 - \"stale\""
    const shown: Array<string> = []
    const respond = () => json({ run_id: "r" }, { headers: { warning } })
    const svc = new Svc({
      baseUrl: "http://svc.example",
      fetch: async () => respond(),
      onWarning: (text) => shown.push(text)
    })
    await svc.agent("a").run("hi")
    await svc.sessions.list()
    await svc.agent("a").run("hi", { session_id: "s" } as never)
    assert.strictEqual(
      shown.pop(),
      "The option 'session_id' is unknown and has no effect. Is it a field of the run, beside message?"
    )
    assert.deepStrictEqual(shown, ["The field 'a' is unknown.", "The field 'b' is unknown."])
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {})
    try {
      await new Svc({ baseUrl: "http://svc.example", fetch: async () => respond() }).agent("a").run("hi")
      assert.deepStrictEqual(warn.mock.calls.map(([text]) => text), shown.map((text) => `Svc: ${text}`))
    } finally {
      warn.mockRestore()
    }
  })

  it("a response whose JSON breaks off is requested again if it is a read", async () => {
    const { svc } = respondingWith(() => new Response("{\"data\": [", asJson), () => json({ data: [] }))
    assert.deepStrictEqual(await svc.sessions.list() as unknown, { data: [] })
    const broken = respondingWith(() => new Response("{\"data\": [", asJson)).svc
    assert.instanceOf(await thrownBy(() => broken.sessions.create({})), SvcConnectionError)
  })

  it("a request to a service that is starting waits until it is ready, also one that changes something", async () => {
    const starting = json({ detail: "The service is starting. Try again shortly." }, { status: 503 })
    const unready = () => json({ detail: "Not ready: migrations", reasons: ["migrations"] }, { status: 503 })
    const { sent, svc } = respondingWith(() => starting, unready, () => json({}), () => json({ session_id: "s" }))
    vi.useFakeTimers()
    const created = svc.sessions.create({})
    await vi.advanceTimersByTimeAsync(5_000)
    assert.deepStrictEqual(await created as unknown, { session_id: "s" })
    vi.useRealTimers()
    assert.deepStrictEqual(sent.map(({ method, path }) => `${method} ${path.split("?")[0]}`), [
      "POST /sessions",
      "GET /ready",
      "GET /ready",
      "POST /sessions"
    ])
  })

  it("a service that does not get ready is an error that says how long the client has waited", async () => {
    const { svc } = respondingWith(() =>
      json({ detail: "The service is starting. Try again shortly." }, { status: 503 })
    )
    vi.useFakeTimers()
    const failed = thrownBy(() => svc.sessions.create({}))
    await vi.advanceTimersByTimeAsync(31_000)
    vi.useRealTimers()
    const error = await failed
    assert.instanceOf(error, SvcError)
    assert.strictEqual(error.status, 503)
    assert.match(error.detail, /http:\/\/svc\.example is still starting after 30 seconds/)
  })

  it("an error whose body breaks off still has its status", async () => {
    const { svc } = respondingWith(() => new Response(pieces(["{\"det"], "breaks"), { status: 404 }))
    const error = await thrownBy(() => svc.sessions.get("s"))
    assert.instanceOf(error, SvcError)
    assert.deepStrictEqual([error.status, error.code], [404, undefined])
  })

  it("an abort while the body of an error is read ends with the reason of the signal", async () => {
    const abort = new AbortController()
    const { svc } = respondingWith((_, signal) => {
      const body = new ReadableStream({
        pull: (controller) => {
          signal?.addEventListener("abort", () => controller.error(signal.reason))
          abort.abort(new Error("enough"))
        }
      }, { highWaterMark: 0 })
      return new Response(body, { status: 500 })
    })
    const error = await thrownBy(() => svc.sessions.create({}, { signal: abort.signal }))
    assert.strictEqual(error, abort.signal.reason)
  })

  it("an abort during the wait before a repetition ends it at once", async () => {
    const abort = new AbortController()
    const { sent, svc } = respondingWith(() => {
      queueMicrotask(() => setImmediate(() => abort.abort(new Error("enough"))))
      return json({}, { status: 503, headers: { "retry-after": "30" } })
    })
    const error = await thrownBy(() => svc.sessions.list({}, { signal: abort.signal }))
    assert.strictEqual(error, abort.signal.reason)
    assert.lengthOf(sent, 1)
  })

  it.each([
    ["seconds", "7", 7],
    ["a date", "Thu, 01 Jan 2026 00:00:09 GMT", 9],
    ["a date in the past", "Thu, 01 Jan 2015 00:00:00 GMT", 0],
    ["nothing", "", undefined],
    ["no number", "soon", undefined],
    ["a negative number", "-5", undefined]
  ])("Retry-After can have %s", async (_, value, seconds) => {
    vi.useFakeTimers({ now: Date.UTC(2026, 0, 1) })
    try {
      const { svc } = respondingWith(() => json({}, { status: 503, headers: { "retry-after": value } }))
      const error = await thrownBy(() => svc.sessions.create({}))
      assert.instanceOf(error, SvcError)
      assert.strictEqual(error.retryAfter, seconds)
    } finally {
      vi.useRealTimers()
    }
  })

  it("a request is not repeated when the service asks for a delay of more than a minute", async () => {
    const { sent, svc } = respondingWith(() => json({}, { status: 429, headers: { "retry-after": "3600" } }))
    const error = await thrownBy(() => svc.agent("a").stream("hi").result())
    assert.instanceOf(error, SvcError)
    assert.strictEqual(error.retryAfter, 3600)
    assert.lengthOf(sent, 1)
  })

  it("lists of a query are repeated, and other objects are sent as JSON", async () => {
    const { sent, svc } = respondingWith(() => json({}))
    await svc.memories.list({ topics: ["a", "b"], filters: { c: 1 } } as never)
    assert.strictEqual(sent[0]?.path, "/memories?topics=a&topics=b&filters=%7B%22c%22%3A1%7D")
  })

  it("bytes and streams are uploaded like blobs", async () => {
    const { sent, svc } = respondingWith(() => json({}))
    const data = [new TextEncoder().encode("tea"), new Blob(["tea"]), new Blob(["tea"]).stream()]
    for (const each of data) await svc.knowledge.add({ file: { name: "tea.txt", data: each } })
    const files = await Promise.all(sent.map(async ({ form }) => (await form()).get("file") as File))
    assert.deepStrictEqual(files.map(({ name }) => name), ["tea.txt", "tea.txt", "tea.txt"])
    assert.deepStrictEqual(await Promise.all(files.map((file) => file.text())), ["tea", "tea", "tea"])
  })

  it("a stream is closed when its loop is left", async () => {
    let isCancelled = false
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      pull: (controller) => controller.enqueue(new TextEncoder().encode(frame(0, "RunStarted"))),
      cancel: () => {
        isCancelled = true
      }
    }, { highWaterMark: 0 })
    const { svc } = respondingWith(() => eventStream(body))
    for await (const _ of svc.agent("a").stream("hi")) break
    assert.isTrue(isCancelled)
  })
})
