// Sources of contents, each against a server of its wire format.
import { assert, describe, it } from "@effect/vitest"
import { SharePointSource } from "@svc-runtime/server"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import type { Reply } from "./RemoteServer.ts"
import { app, failureOf, files, folderIn, id, none, sources, textIn } from "./ServedSources.ts"
import * as SharePointServer from "./SharePointServer.ts"

Tier.oneIn(8)

const longerThan = (mebibytes: number): Reply => ({
  headers: { "content-length": String(mebibytes * 1024 * 1024 + 1) },
  body: "x",
  isCut: true
})

for (const { isTokenObtained, make, name } of sources) {
  describe(`contents of ${name}`, () => {
    it.live("a folder has all files in it with a version of each, whatever its pages, and each file is fetched", () =>
      Effect.gen(function*() {
        const source = yield* make({})
        const listed = yield* folderIn(source, "docs/")
        const inFolder = Object.keys(files).filter((key) => key.startsWith("docs/"))
        assert.deepStrictEqual(listed.map(({ key }) => key).toSorted(), inFolder.toSorted())
        assert.deepStrictEqual(listed.map(({ size }) => size), listed.map(({ key }) => Buffer.byteLength(files[key]!)))
        const all = yield* folderIn(source, "")
        assert.strictEqual(all.length, 6)
        assert.strictEqual(new Set(all.map(({ version }) => version)).size, 6)
        for (const key of inFolder) assert.strictEqual(yield* textIn(source, key), files[key])
        const changed = yield* folderIn(
          yield* make({ files: { ...files, "docs/planes.md": "Planes are late." } }),
          "docs/"
        )
        const versions = new Map(listed.map(({ key, version }) => [key, version]))
        assert.deepStrictEqual(
          changed.filter(({ key, version }) => versions.get(key) !== version).map(({ key }) => key),
          ["docs/planes.md"]
        )
      }))

    it.live("a folder with more files than the maximum is refused", () =>
      Effect.gen(function*() {
        const failure = yield* failureOf(folderIn(yield* make({}), "docs/", 4))
        assert.deepStrictEqual(
          [failure.reason, failure.message],
          ["refused", "'docs/' has more than 4 entries: name a longer path"]
        )
      }))

    it.live("a missing file, wrong credentials and a refusal are different failures, and no secret is in a message", () =>
      Effect.gen(function*() {
        const gone = yield* failureOf((yield* make({})).fetch("docs/gone.md", none))
        assert.deepStrictEqual([gone.reason, gone.message], ["missing", "File not found: docs/gone.md"])
        const wrong = yield* failureOf((yield* make({ isWrong: true })).fetch("docs/planes.md", none))
        assert.strictEqual(wrong.reason, "credentials", wrong.message)
        assert.notInclude(wrong.message, "guess")
        const forbidden = yield* failureOf((yield* make({ planned: [{ status: 403 }] })).fetch("docs/planes.md", none))
        assert.strictEqual(forbidden.reason, "credentials", forbidden.message)
      }))

    it.live("a spent limit and a failing service pass, and say when to ask again", () =>
      Effect.gen(function*() {
        const spent = { status: 429, headers: { "retry-after": "7" } }
        const limited = yield* failureOf(folderIn(yield* make({ planned: [spent] }), "docs/"))
        assert.deepStrictEqual([limited.reason, limited.retryAfter], ["unavailable", 7])
        const failing = yield* failureOf((yield* make({ planned: [{ status: 503 }] })).fetch("docs/planes.md", none))
        assert.deepStrictEqual([failing.reason, failing.retryAfter], ["unavailable", undefined])
      }))

    it.live("a response that is cut off passes, and one that is too large is refused before it is read", () =>
      Effect.gen(function*() {
        const cut = { body: "{\"items\":[".padEnd(1000), isCut: true }
        for (const planned of [[cut], [{ body: "{\"value\":[<ListBucketResult><EnumerationResults>" }]]) {
          const failure = yield* failureOf(folderIn(yield* make({ planned }), "docs/"))
          assert.strictEqual(failure.reason, "unavailable", failure.message)
        }
        const halved = yield* failureOf((yield* make({ planned: [cut] })).fetch("docs/planes.md", none))
        assert.strictEqual(halved.reason, "unavailable", halved.message)
        const file = yield* failureOf((yield* make({ planned: [longerThan(32)] })).fetch("docs/planes.md", none))
        const list = yield* failureOf(folderIn(yield* make({ planned: [longerThan(8)] }), "docs/"))
        for (const { message, reason } of [file, list]) assert.strictEqual(reason, "refused", message)
      }))

    if (isTokenObtained) {
      it.live("the token is obtained once, and again when it is refused", () =>
        Effect.gen(function*() {
          const issued: Array<string> = []
          const source = yield* make({ issued })
          yield* Effect.all([textIn(source, "docs/planes.md"), textIn(source, "docs/planes.md")], { concurrency: 2 })
          assert.strictEqual(issued.length, 1)
          issued.push("revoked")
          assert.strictEqual(yield* textIn(source, "docs/planes.md"), files["docs/planes.md"])
          assert.strictEqual(issued.length, 3)
        }))
    }
  })
}

const listOf = (inner: string): Reply => ({ body: `<ListBucketResult>${inner}</ListBucketResult>` })

describe("lists without an end", () => {
  it.live.each(
    [
      [
        "S3",
        0,
        listOf("<IsTruncated>true</IsTruncated><NextContinuationToken>2</NextContinuationToken>")
      ],
      ["Google Cloud Storage", 1, { body: { items: [], nextPageToken: "2" } }],
      [
        "Azure Blob Storage",
        2,
        { body: "<EnumerationResults><Blobs></Blobs><NextMarker>2</NextMarker></EnumerationResults>" }
      ]
    ] as const
  )(
    "a page of %s that continues with itself passes, and is asked for no more",
    ([, index, page]) =>
      Effect.gen(function*() {
        const planned = Array.from({ length: 5 }, (): Reply => page)
        const source = yield* sources[index]!.make({ planned })
        const failure = yield* failureOf(folderIn(source, "docs/"))
        assert.deepStrictEqual([failure.reason, planned.length], ["unavailable", 3], failure.message)
      })
  )

  it.live("a page of SharePoint that continues with itself passes, and is asked for no more", () =>
    Effect.gen(function*() {
      const planned: Array<Reply> = []
      const endpoint = yield* SharePointServer.make(files, planned)
      const source = SharePointSource.make({
        id,
        ...app,
        clientSecret: "hush",
        authority: endpoint,
        endpoint: `${endpoint}/v1.0`,
        hostname: "company.sharepoint.com",
        sitePath: "sites/wiki"
      })
      yield* folderIn(source, "docs/")
      const link = `${endpoint}/v1.0/drives/x/root/children`
      planned.push(...Array.from({ length: 5 }, (): Reply => ({ body: { value: [], "@odata.nextLink": link } })))
      const failure = yield* failureOf(folderIn(source, "docs/"))
      assert.deepStrictEqual([failure.reason, planned.length], ["unavailable", 3], failure.message)
    }))
})

describe("contents of S3", () => {
  const make = (planned: Array<Reply>) => sources[0]!.make({ planned })

  it.live("a list that is not whole and has no other page passes: its missing files are not gone", () =>
    Effect.gen(function*() {
      const cut = listOf("<IsTruncated>true</IsTruncated><Contents><Key>docs/planes.md</Key></Contents>")
      const failure = yield* failureOf(folderIn(yield* make([cut]), "docs/"))
      assert.strictEqual(failure.reason, "unavailable", failure.message)
    }))

  it.live("a page with more entries than all may be is refused, also if none has a name", () =>
    Effect.gen(function*() {
      const page = listOf("<Contents></Contents>".repeat(10_001))
      const failure = yield* failureOf(folderIn(yield* make([page]), "docs/"))
      assert.strictEqual(failure.reason, "refused", failure.message)
    }))

  it.live.each(["ExpiredToken", "InvalidToken"])(
    "%s, whose status is 400, is about the credentials",
    (code) =>
      Effect.gen(function*() {
        const expired = { status: 400, body: `<Error><Code>${code}</Code></Error>` }
        const failure = yield* failureOf((yield* make([expired])).fetch("docs/planes.md", none))
        assert.strictEqual(failure.reason, "credentials", failure.message)
      })
  )
})
