// Every operation of the API with a token that is limited to a session: nothing of another session appears, and nothing
// of it changes. The operations are read out of the API.
import { assert, describe, it, layer } from "@effect/vitest"
import { json, type Subject } from "@svc-runtime/test-support/endpoints/Checked"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Context, Effect, Layer } from "effect"
import { at } from "../Wire.ts"
import { call, claims, everything, mint, seed, serveClosed, theIssuer, token } from "./Closed.ts"
import { endpoints, isServed } from "./Endpoints.ts"

Tier.oneIn(3)

/** In all that is stored of the other session, and of what acts in all sessions. */
const marker = "glade"

const named = (what: string) => ({ name: `${what} of the ${marker}`, description: marker })

/** What a path of `Requests.ts` calls `none`, and how it is made. Its response has the `id`. */
const made: Readonly<Record<string, object>> = {
  "/schedules": {
    ...named("Schedule"),
    cron_expr: "@yearly",
    endpoint: "/agents/assistant/runs",
    payload: { message: marker }
  },
  "/datasets": { ...named("Dataset"), items: [{ id: marker, input: marker }] },
  "/eval-runs": { name: named("Evaluation").name, agent_id: "assistant", eval_type: "performance", input: marker },
  "/webhooks": { url: `https://${marker}.example/hook`, events: ["run.completed"], description: marker }
}

const seeded = Effect.gen(function*() {
  const server = yield* serveClosed()
  const ann = yield* token("ann", ...everything)
  const admin = yield* token("root", "platform:admin")
  const subject = yield* seed(server, ann, "ann", marker)
  const send = (method: string, path: string, body: object, bearer = ann) =>
    Effect.tap(
      call(server, { path, init: json(method, body) }, bearer),
      ({ status, text }) => Effect.sync(() => assert.isBelow(status, 300, `${method} ${path}: ${text}`))
    )
  const state = { session_name: marker, session_state: { [marker]: 1 }, metadata: { [marker]: 1 } }
  for (const suffix of ["", "-team", "-flow"]) yield* send("PATCH", `/sessions/${subject.session}${suffix}`, state)
  yield* send("POST", `/runs/${subject.run}/feedback`, { score: 1, comment: marker })
  const memory = { memory: marker, topics: [marker], user_id: "ann" }
  yield* send("PATCH", `/memories/${subject.memory}`, memory, admin)
  yield* send("POST", "/learnings", { learning_type: "user_profile", user_id: "ann", content: { name: marker } }, admin)
  const account = yield* mint(server, admin, { name: marker, scopes: everything })
  const ids: Record<string, string> = {}
  const served = Object.entries(made).filter(([path]) => isServed(`POST ${path}`))
  for (const [path, body] of served) ids[path] = String(at((yield* send("POST", path, body)).json, "id"))
  const experiment = { dataset_id: ids["/datasets"], agent_id: "assistant", name: marker, scorers: [{ type: "exact" }] }
  ids["/experiments"] = String(at((yield* send("POST", "/experiments", experiment)).json, "id"))
  const traces = yield* call(server, { path: "/traces" }, ann)
  const trace = String(at(traces.json, "data", 0, "trace_id"))
  return { server, ids, trace, subject: { ...subject, account: account.id } }
})

type Seeded = Effect.Success<typeof seeded>

/** All that a user of every scope sees of it. */
const stored = Effect.fnUntraced(function*({ ids, server, subject: { learning, memory, run, session } }: Seeded) {
  const ann = yield* token("ann", ...everything)
  const admin = yield* token("root", "platform:admin")
  const paths = [
    ...["", "-team", "-flow"].flatMap((suffix) => [
      `/sessions/${session}${suffix}`,
      `/sessions/${session}${suffix}/runs`
    ]),
    `/runs/${run}/feedback`,
    `/memories/${memory}`,
    `/learnings/${learning}`,
    "/users/ann/memory-settings",
    ...Object.entries(ids).filter(([path]) => path !== "/experiments").map(([path, id]) => `${path}/${id}`)
  ]
  const texts = yield* Effect.forEach(paths, (path) => Effect.map(call(server, { path }, ann), ({ text }) => text))
  const shown = paths.filter((_, place) => texts[place]?.includes(marker) !== true)
  assert.deepStrictEqual(shown, ["/users/ann/memory-settings"], "paths without the marker")
  const accounts = yield* call(server, { path: "/service-accounts" }, admin)
  return [...texts, accounts.text.replaceAll(/"last_used_at":[^,}]*/g, "")]
})

const real = (path: string, { ids, trace }: Seeded): string => {
  const found = Object.entries(ids).find(([start]) => path.startsWith(`${start}/none`))
  const named = found === undefined ? path : path.replace("/none", `/${found[1]}`)
  return named.replace("f".repeat(32), trace)
}

class Marked extends Context.Service<Marked, Seeded & { readonly before: ReadonlyArray<string> }>()(
  "@svc-runtime/server/test/Marked"
) {
  static readonly layer = Layer.effect(
    Marked,
    Effect.gen(function*() {
      const found = yield* seeded
      return Marked.of({ ...found, before: yield* stored(found) })
    })
  )
}

const scopes = { "all scopes": everything, "the scope of admins": ["platform:admin"] }

const limited = (granted: ReadonlyArray<string>) =>
  Effect.flatMap(theIssuer, (issuer) => issuer.sign({ ...claims("ann", granted), session_id: "claimed" }))

/** Errors repeat the names of the request. */
const withoutNames = (text: string): string => text.replaceAll(/"(detail|error)":"[^"]*not found[^"]*"/g, "")

describe.each(Object.entries(scopes))("a token for one session with %s", (_, granted) => {
  layer(Marked.layer)((it) => {
    it.effect.each(endpoints)(
      "$route shows and changes nothing of another session",
      ({ request, route }) =>
        Effect.gen(function*() {
          const found = yield* Marked
          const { server, subject }: { readonly server: TestServer.TestServer; readonly subject: Subject } = found
          const { init, path } = request(subject)
          const changed = { path: real(path, found), ...(init === undefined ? {} : { init }) }
          const { status, text } = yield* call(server, changed, yield* limited(granted))
          assert.isBelow(status, 500, text)
          assert.notInclude(text.toLowerCase(), marker, route)
          // a run is started in the session of the token
          for (const id of [subject.run, `"${subject.session}`]) assert.notInclude(withoutNames(text), id, route)
          assert.deepStrictEqual(yield* stored(found), found.before, route)
        })
    )
  })
})

describe("a message of a chat that was sent without the limit", () => {
  it.effect("a token for one session gets a run of its own in the session of the token, which names no run of the chat", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      const body = { id: "chat", messages: [{ id: "m", role: "user", parts: [{ type: "text", text: "hi" }] }] }
      const send = (bearer: string) =>
        call(server, { path: "/agents/assistant/chat", init: json("POST", body) }, bearer)
      const first = yield* send(yield* token("ann", ...everything))
      const second = yield* send(yield* limited(everything))
      assert.deepStrictEqual([first.status, second.status], [200, 200], second.text)
      const runOf = (text: string) => /"runId":"([^"]+)"/.exec(text)?.[1]
      assert.notInclude(second.text, runOf(first.text)!)
      assert.include(second.text, "\"sessionId\":\"claimed\"")
    }))
})
