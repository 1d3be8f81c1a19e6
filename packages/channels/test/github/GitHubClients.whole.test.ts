// octokit, unmodified, against the local server: that it speaks GitHub's wire.
import { assert, describe, it } from "@effect/vitest"
import * as ForeignClients from "@svc-runtime/test-support/ForeignClients"
import { Effect } from "effect"
import { call, failureOf, place, starting } from "./GitHubPlatform.ts"

type Values = Readonly<Record<string, unknown>>

interface Octokit {
  readonly request: (route: string, parameters?: Values) => Promise<{ readonly data: Values }>
}

interface App {
  readonly octokit: Octokit
  readonly getInstallationOctokit: (id: number) => Promise<Octokit>
  readonly webhooks: {
    readonly on: (event: string, handler: (event: { readonly payload: Payload }) => void) => void
    readonly verifyAndReceive: (delivery: Values) => Promise<void>
    readonly verify: (body: string, signature: string) => Promise<boolean>
  }
}

interface Payload {
  readonly comment: { readonly body: string }
  readonly installation: { readonly id: number }
}

interface Package {
  readonly App: new(options: Values) => App
  readonly Octokit: { readonly defaults: (options: Values) => unknown }
}

const appOf = Effect.gen(function*() {
  const platform = yield* starting()
  const { appId, privateKey, url, webhookSecret } = platform.server
  const { App, Octokit } = (yield* call(() => ForeignClients.load("octokit"))) as Package
  const throttle = { onRateLimit: () => false, onSecondaryRateLimit: () => false }
  const options = { baseUrl: url, throttle, retry: { enabled: false } }
  const webhooks = { secret: webhookSecret }
  return { ...platform, app: new App({ appId, privateKey, webhooks, Octokit: Octokit.defaults(options) }) }
})

const [owner, repo] = ["acme", "shop"]

describe.skipIf(!ForeignClients.areInstalled)("octokit and the local server", () => {
  it.live("the client proves that it is the app, and writes, changes and reads comments as its installation", () =>
    Effect.gen(function*() {
      const { adapter, app, post, server } = yield* appOf
      assert.deepInclude((yield* call(() => app.octokit.request("GET /app"))).data, { slug: "desk" })
      const octokit = yield* call(() => app.getInstallationOctokit(server.installation))
      const issue = { owner, repo, issue_number: 12 }
      const route = "/repos/{owner}/{repo}/issues"
      const created = yield* call(() =>
        octokit.request(`POST ${route}/{issue_number}/comments`, { ...issue, body: "Hi" })
      )
      const comment = { owner, repo, comment_id: created.data["id"], body: "Bye" }
      yield* call(() => octokit.request(`PATCH ${route}/comments/{comment_id}`, comment))
      const id = yield* post({ text: "From the adapter" })
      const read = yield* call(() =>
        octokit.request(`GET ${route}/{issue_number}/comments`, { ...issue, per_page: 100 })
      )
      const bodies = (read.data as unknown as ReadonlyArray<Values>).map(({ body }) => String(body).split("\n")[0])
      assert.deepEqual(bodies, ["Bye", "From the adapter"])
      assert.match(id, /^issue:/)
      assert.deepInclude(place, { installation: server.installation })
      assert.strictEqual(adapter.platform, "github")
    }))

  it.live("the client understands refusals", () =>
    Effect.gen(function*() {
      const { app, server } = yield* appOf
      const octokit = yield* call(() => app.getInstallationOctokit(server.installation))
      const write = (body: string, issue_number = 12) =>
        failureOf(() =>
          octokit.request("POST /repos/{owner}/{repo}/issues/{issue_number}/comments", {
            owner,
            repo,
            issue_number,
            body
          })
        )
      assert.deepInclude(yield* write(""), { status: 422 })
      assert.deepInclude(yield* write("x".repeat(65_537)), { status: 422 })
      assert.deepInclude(yield* write("Hi", 13), { status: 404 })
      server.refuse(403, "You have exceeded a secondary rate limit", { "retry-after": "1" })
      assert.deepInclude(yield* write("Hi"), { status: 403 })
    }))

  it.live("the client accepts what the server has signed, and nothing else", () =>
    Effect.gen(function*() {
      const { app, server } = yield* appOf
      const seen: Array<string> = []
      app.webhooks.on("issue_comment.created", ({ payload }) => {
        seen.push(`${payload.installation.id} ${payload.comment.body}`)
      })
      const { body, headers } = server.requestOf(server.comment("@desk hi"))
      const { "x-github-delivery": id, "x-github-event": name, "x-hub-signature-256": signature = "" } =
        headers as Record<
          string,
          string
        >
      yield* call(() => app.webhooks.verifyAndReceive({ id, name, signature, payload: body }))
      assert.deepEqual(seen, [`${server.installation} @desk hi`])
      assert.isFalse(yield* call(() => app.webhooks.verify(`${body} `, signature)))
    }))
})
