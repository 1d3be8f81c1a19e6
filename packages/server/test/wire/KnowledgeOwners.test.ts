// The owners of contents: what isolated callers find and change.
import { assert, describe, it } from "@effect/vitest"
import { Embedder } from "@svc-runtime/models"
import { Agent, Knowledge } from "@svc-runtime/server"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { createServer, type RequestListener, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { call, closed, token } from "../authorization/Closed.ts"
import { handbook, serveKnowledge, textFile, uploadContent } from "../Contents.ts"
import { at, column, failed, list, notFound, second } from "../Wire.ts"
import { contentsOf, json, searching } from "./KnowledgeQuestions.ts"

Tier.oneIn(3)

const closedKnowledge = Effect.fnUntraced(function*(options: TestServer.Options = {}) {
  yield* TestClock.setTime(second * 1000)
  return yield* serveKnowledge({ ...options, authorization: yield* closed })
})

describe("isolated callers", () => {
  /** The worker of jobs pauses on the clock of the test. */
  const passTime = TestClock.withLive(Effect.sleep("10 millis")).pipe(
    Effect.andThen(TestClock.adjust("10 millis")),
    Effect.forever
  )

  const upload = Effect.fnUntraced(function*(
    service: Effect.Success<ReturnType<typeof serveKnowledge>>,
    bearer: string,
    text: string
  ) {
    const { json } = yield* uploadContent(service.server, { bearer, file: textFile("notes.txt", text) })
    assert.strictEqual(yield* Effect.raceFirst(service.jobEnd, passTime), "Completed")
    return String(at(json, "id"))
  })

  const siteOf = (listener: RequestListener) =>
    Effect.acquireRelease(
      Effect.callback<Server>((resume) => {
        const server = createServer(listener)
        server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
      }),
      (server) => Effect.sync(() => server.close().closeAllConnections())
    )

  const scopes = ["knowledge:read", "knowledge:write", "knowledge:delete", "agents:run", "sessions:read"]

  const textsOf = (answer: unknown) => [...column(list(answer, "data"), "content")].sort()

  it.effect("an upload of a user is refused while as many wait as may, and others' are not", () =>
    Effect.gen(function*() {
      const { server } = yield* closedKnowledge({
        database: (given) => ({
          ...given,
          jobs: {
            ...given.jobs,
            countWaiting: (_, caller, limit) => Effect.succeed(caller === "user ann" ? limit : 0)
          }
        })
      })
      const sent = Effect.fnUntraced(function*(sub: string, ...granted: ReadonlyArray<string>) {
        return yield* uploadContent(server, { bearer: yield* token(sub, ...granted), file: textFile("a.txt", "a") })
      })
      const detail =
        "100 of your uploads wait to be processed, or for another attempt: as many as may (USER_WAITING_UPLOADS). " +
        "Try again when some of them are complete."
      failed(yield* sent("ann", ...scopes), 429, "TOO_MANY_REQUESTS", detail)
      assert.strictEqual((yield* sent("bob", ...scopes)).status, 202)
      assert.strictEqual((yield* sent("root", "platform:admin")).status, 202)
    }))

  it.effect("uploads without an owner take the turns of their callers", () =>
    Effect.gen(function*() {
      const callers: Array<string | null | undefined> = []
      const options: TestServer.Options = {
        knowledge: [Knowledge.make({ isolation: "shared" })],
        database: (given) => ({
          ...given,
          contents: {
            ...given.contents,
            put: (content, work, time) =>
              Effect.suspend(() => {
                callers.push(content.user_id, ...(work.jobs ?? []).map(({ caller }) => caller))
                return given.contents.put(content, work, time)
              })
          }
        })
      }
      const { server } = yield* closedKnowledge(options)
      for (const sub of ["ann", "bob"]) {
        const bearer = yield* token(sub, ...scopes)
        assert.strictEqual((yield* uploadContent(server, { bearer, file: textFile("a.txt", sub) })).status, 202)
      }
      const { server: open } = yield* serveKnowledge(options)
      assert.strictEqual((yield* uploadContent(open, { file: textFile("a.txt", "c") })).status, 202)
      const address = "address unknown"
      assert.deepStrictEqual(callers, [null, "user ann", null, "user bob", null, address])
    }))

  it.effect("the embedding of a search counts for its caller, over HTTP and in a run", () =>
    Effect.gen(function*() {
      const callers: Array<string | undefined> = []
      const embedder: Embedder.Embedder = {
        id: "test:callers",
        dimensions: 1,
        maxPerCall: 1,
        embedMany: () =>
          Effect.map(Embedder.EmbeddingCall, ({ caller }) => {
            callers.push(caller)
            return [Float32Array.of(1)]
          })
      }
      const { model } = yield* Script.make([...searching("sick leave")])
      const knowledge = Knowledge.make({ name: "handbook", embedder })
      const { server } = yield* closedKnowledge({
        agents: [Agent.make({ id: "agent", model, knowledge })],
        knowledge: [knowledge]
      })
      const [ann, bob] = [yield* token("ann", ...scopes), yield* token("bob", ...scopes)]
      yield* call(server, { path: "/knowledge/search", init: json("POST", { query: "holiday" }) }, ann)
      const body = new URLSearchParams({ message: "sick?", stream: "false" })
      yield* call(server, { path: "/agents/agent/runs", init: { method: "POST", body } }, bob)
      assert.deepStrictEqual(callers, ["user ann", "user bob"])
    }))

  it.effect("uploads are processed while addresses of other users send a byte now and then", () =>
    Effect.gen(function*() {
      const silent = yield* siteOf((_, response) => void response.write("a"))
      const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/a.txt`
      const service = yield* closedKnowledge({ fetch: { allow: ["127.0.0.1"] } })
      const requested = Effect.callback<void>((resume) => {
        silent.once("request", () => resume(Effect.void))
      })
      for (const count of [1, 2, 3, 4, 5, 6, 7, 8]) {
        const bearer = yield* token(`user-${count}`, ...scopes)
        const uploading = uploadContent(service.server, { bearer, fields: { url } })
        const [answer] = yield* Effect.all([uploading, count <= 6 ? requested : Effect.void], { concurrency: 2 }).pipe(
          Effect.raceFirst(passTime)
        )
        assert.strictEqual(answer.status, 202, answer.text)
      }
      yield* upload(service, yield* token("cat", ...scopes), "Trains.")
    }))

  it.effect("large pages of other servers are fetched by one caller at a time, and uploads are processed", () =>
    Effect.gen(function*() {
      const paths: Array<string | undefined> = []
      const endless = yield* siteOf(({ url }, response) => {
        paths.push(url)
        response.write("a".repeat(5 * 1024 * 1024))
      })
      const { port } = endless.address() as AddressInfo
      const service = yield* closedKnowledge({ fetch: { allow: ["127.0.0.1"] } })
      const requested = Effect.callback<void>((resume) => {
        endless.once("request", () => resume(Effect.void))
      })
      for (const [sub, ...wanted] of [["ann", requested, requested], ["bob", requested]] as const) {
        const fields = { url: `http://127.0.0.1:${port}/${sub}.txt` }
        const uploading = uploadContent(service.server, { bearer: yield* token(sub, ...scopes), fields })
        const requests = wanted.reduce((all, next) => Effect.andThen(all, next))
        const [answer] = yield* Effect.all([uploading, requests], { concurrency: 2 }).pipe(Effect.raceFirst(passTime))
        assert.strictEqual(answer.status, 202, answer.text)
      }
      yield* upload(service, yield* token("cat", ...scopes), "Trains.")
      assert.deepStrictEqual(paths, ["/ann.txt", "/ann.txt", "/bob.txt"])
    }))

  it.effect("a caller finds its own contents and those without an owner, and changes only its own", () =>
    Effect.gen(function*() {
      const { model } = yield* Script.make([...searching("holiday"), ...searching("holiday")])
      const agent = Agent.make({ id: "agent", model, knowledge: handbook })
      const service = yield* closedKnowledge({ agents: [agent] })
      const { server } = service
      const [ann, bob, admin] = [
        yield* token("ann", ...scopes),
        yield* token("bob", ...scopes),
        yield* token("root", "platform:admin")
      ]
      const shared = yield* upload(service, admin, "holiday for all")
      const ofAnn = yield* upload(service, ann, "holiday of Ann")
      const ofBob = yield* upload(service, bob, "holiday of Bob")
      assert.strictEqual(new Set([shared, ofAnn, ofBob]).size, 3)

      const search = (bearer: string) =>
        call(server, { path: "/knowledge/search", init: json("POST", { query: "holiday" }) }, bearer)
      assert.deepStrictEqual(textsOf((yield* search(ann)).json), ["holiday for all", "holiday of Ann"])
      assert.deepStrictEqual(textsOf((yield* search(bob)).json), ["holiday for all", "holiday of Bob"])
      assert.deepStrictEqual(textsOf((yield* search(admin)).json), [
        "holiday for all",
        "holiday of Ann",
        "holiday of Bob"
      ])
      const listed = yield* call(server, { path: "/knowledge/content" }, bob)
      assert.sameMembers([...column(list(listed.json, "data"), "id")], [shared, ofBob])

      for (const id of [shared, ofAnn]) {
        const path = `/knowledge/content/${id}`
        const renamed = yield* call(server, {
          path,
          init: { method: "PATCH", body: new URLSearchParams({ name: "mine" }) }
        }, bob)
        notFound(renamed, `Content not found: ${id}`)
        assert.strictEqual((yield* call(server, { path, init: { method: "DELETE" } }, bob)).status, 200)
      }
      notFound(yield* call(server, { path: `/knowledge/content/${ofAnn}` }, bob), `Content not found: ${ofAnn}`)
      yield* call(server, { path: "/knowledge/content", init: { method: "DELETE" } }, bob)
      const left = yield* call(server, { path: "/knowledge/content" }, admin)
      assert.sameMembers([...column(list(left.json, "data"), "id")], [shared, ofAnn])

      const ran = yield* call(server, {
        path: "/agents/agent/runs",
        init: { method: "POST", body: new URLSearchParams({ message: "holiday?", stream: "false" }) }
      }, ann)
      assert.sameMembers([...contentsOf(ran.json)[0] ?? []], ["holiday for all", "holiday of Ann"])
    }))

  it.effect("uploads to knowledge that its author shares belong to all callers", () =>
    Effect.gen(function*() {
      const service = yield* closedKnowledge({ knowledge: [Knowledge.make({ isolation: "shared" })] })
      const [ann, bob] = [yield* token("ann", ...scopes), yield* token("bob", ...scopes)]
      const id = yield* upload(service, ann, "holiday for all")
      assert.strictEqual((yield* call(service.server, { path: `/knowledge/content/${id}` }, bob)).status, 200)
    }))

  it.effect("a caller without a user stores no contents, and finds none", () =>
    Effect.gen(function*() {
      const { server } = yield* closedKnowledge()
      const bearer = yield* token(undefined, ...scopes)
      failed(
        yield* uploadContent(server, { bearer, fields: { text_content: "a" } }),
        403,
        "FORBIDDEN",
        "A caller without a user cannot store contents"
      )
      const found = yield* call(server, { path: "/knowledge/content" }, bearer)
      assert.strictEqual(at(found.json, "meta", "total_count"), 0)
    }))
})
