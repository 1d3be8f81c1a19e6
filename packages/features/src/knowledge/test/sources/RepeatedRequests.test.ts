// Responses of sources that repeat the request.
import { assert, describe, it } from "@effect/vitest"
import { AzureBlobSource, GcsSource, GitHubSource } from "@svc-runtime/server"
import { Effect } from "effect"
import { escapeXml, listen } from "./RemoteServer.ts"
import { app, failureOf, id, none } from "./ServedSources.ts"

describe("a response that repeats the request", () => {
  it.live("the failure has its text, without the secrets of the request", () =>
    Effect.gen(function*() {
      const endpoint = yield* listen(({ body, headers, url }) => {
        const echo = `I do not like ${String(headers["authorization"])} ${decodeURIComponent(body)} ${url}`
        return url.includes("sig=")
          ? { status: 418, body: `<Error><Code>${escapeXml(echo)}</Code></Error>` }
          : { status: 418, body: { message: echo, error: body === "" ? { message: echo, code: echo } : echo } }
      })
      const secret = "hush+hush/hush"
      const azure = { id, account: "company", container: "wiki", endpoint }
      const failing = [
        AzureBlobSource.make({ ...azure, sasToken: `sig=${encodeURIComponent(secret)}` }),
        AzureBlobSource.make({ ...azure, application: { ...app, clientSecret: secret, authority: endpoint } }),
        GitHubSource.make({ id, repo: "company/wiki", endpoint, token: secret }),
        GcsSource.make({ id, bucket: "wiki", endpoint, accessToken: secret })
      ]
      for (const source of failing) {
        const { message } = yield* failureOf(source.fetch("docs/planes.md", none))
        assert.include(message, "(I do not like ")
        assert.notInclude(decodeURIComponent(message), secret)
      }
    }))
})
