// What is special about GitHub and SharePoint as sources.
import { assert, describe, it } from "@effect/vitest"
import { GitHubSource, SharePointSource } from "@svc-runtime/server"
import { Effect } from "effect"
import * as GitHubServer from "./GitHubServer.ts"
import type { Reply } from "./RemoteServer.ts"
import { app, failureOf, files, folderIn, id, none, sources, textIn } from "./ServedSources.ts"
import * as SharePointServer from "./SharePointServer.ts"

describe("contents of GitHub", () => {
  it.live("a limit that is spent is 403 with the time of its renewal, and links are no files", () =>
    Effect.gen(function*() {
      const reset = String(Math.floor(Date.now() / 1000) + 600)
      const spent = { status: 403, headers: { "x-ratelimit-remaining": "0", "x-ratelimit-reset": reset } }
      const endpoint = yield* GitHubServer.make({ ...files, "docs/x.link": "planes.md" }, [spent])
      const source = GitHubSource.make({ id, endpoint, token: "hush" })
      const request = { path: "docs/", params: { repo: "company/wiki", branch: "main" }, maximum: 10_000 }
      assert.isDefined(source.folder)
      const limited = yield* failureOf(source.folder(request))
      assert.strictEqual(limited.reason, "unavailable")
      assert.isAtLeast(limited.retryAfter ?? 0, 590)
      assert.strictEqual((yield* source.folder(request)).length, 5)
      const other = yield* failureOf(source.folder({ ...request, params: { repo: "company/wiki", branch: "gone" } }))
      assert.deepStrictEqual(
        [other.reason, other.message],
        ["missing", "Repository or branch not found: company/wiki (gone)"]
      )
      const folder = yield* failureOf(source.fetch("docs", request.params))
      assert.strictEqual(folder.message, "docs is a folder: end its path with /")
    }))

  it("parameters that would be another path of the interface are refused", () => {
    const source = GitHubSource.make({ id, token: "hush" })
    for (const repo of ["../..", "company", "company/wiki/git", "company/..", "a b/c"]) {
      assert.isString(source.paramsProblem?.({ repo }), repo)
    }
    for (const branch of ["../main", "a..b", "", " ", "a\0", "/x"]) {
      assert.isString(source.paramsProblem?.({ repo: "company/wiki", branch }), branch)
    }
    assert.isUndefined(source.paramsProblem?.({ repo: "company/wiki", branch: "feature/x-1.2" }))
    assert.isString(source.paramsProblem?.({}))
  })
})

describe("contents of SharePoint", () => {
  it.live("a notebook is no file, and the token is not sent to another host that a list continues on", () =>
    Effect.gen(function*() {
      const body = { value: [], "@odata.nextLink": "https://elsewhere.example/children" }
      const issued: Array<string> = []
      const planned: Array<Reply> = []
      const endpoint = yield* SharePointServer.make(files, planned, issued)
      const source = SharePointSource.make({
        id,
        ...app,
        clientSecret: "hush",
        authority: endpoint,
        endpoint: `${endpoint}/v1.0`,
        hostname: "company.sharepoint.com"
      })
      assert.isDefined(source.folder)
      const request = { path: "docs/", params: { site_path: "sites/wiki" }, maximum: 10_000 }
      assert.strictEqual((yield* source.folder(request)).length, 5)
      planned.push({ body })
      planned[0] = { body: { value: [{ name: "notes.one", size: 1, package: { type: "oneNote" } }] } }
      assert.deepStrictEqual(yield* source.folder(request), [])
      planned.push({ body })
      const failure = yield* failureOf(source.folder(request))
      assert.strictEqual(failure.message, "SharePoint continues its list on another host")
    }))

  it.live("a library is looked up again after something was missing in it", () =>
    Effect.gen(function*() {
      const planned: Array<Reply> = []
      const source = yield* sources.at(-1)!.make({ planned })
      yield* textIn(source, "docs/planes.md")
      planned.push({ status: 404 }, { body: { id: "company,1,2" } })
      assert.strictEqual((yield* failureOf(source.fetch("docs/planes.md", none))).reason, "missing")
      assert.strictEqual(yield* textIn(source, "docs/planes.md"), files["docs/planes.md"])
    }))

  it.live("folders are followed to a depth", () =>
    Effect.gen(function*() {
      const deep = { [`docs/${"a/".repeat(30)}x.md`]: "Deep." }
      const source = yield* sources.at(-1)!.make({ files: deep })
      const failure = yield* failureOf(folderIn(source, "docs/"))
      assert.match(failure.message, /is deeper than 20 folders$/)
    }))
})
