// Sources of contents, each against a server of its wire format.
import { assert, describe, it } from "@effect/vitest"
import type { ContentSourceFailed, Params, Source } from "@svc/runtime/knowledge/ContentSource"
import { AzureBlobSource, GcsSource, GitHubSource, S3Source, SharePointSource } from "@svc/server"
import { Effect, Redacted, type Scope } from "effect"
import * as AzureBlobServer from "./AzureBlobServer.ts"
import * as GcsServer from "./GcsServer.ts"
import * as GitHubServer from "./GitHubServer.ts"
import type { Files, Reply } from "./RemoteServer.ts"
import * as S3Server from "./S3Server.ts"
import * as SharePointServer from "./SharePointServer.ts"

const files: Files = {
  "docs/a b+c~(1)'*&.md": "Trains are booked by the office.",
  "docs/planes.md": "Planes are booked by pilots.",
  "docs/trips/far/moon.md": "Rockets are booked by pilots too.",
  "docs/trips/ships & boats.md": "Ships are booked by captains.",
  "docs/élan/ü#?.md": "Bicycles are free.",
  "other.md": "Other."
}

interface Given {
  readonly planned?: Array<Reply>
  /** Tokens that were issued. */
  readonly issued?: Array<string>
  readonly isWrong?: boolean
  readonly files?: Files
}

type Make = (given: Given) => Effect.Effect<Source, never, Scope.Scope>

const id = "wiki"

const app = { tenantId: "tenant", clientId: "app" }

const sources: ReadonlyArray<{ readonly name: string; readonly make: Make; readonly isTokenObtained: boolean }> = [
  {
    name: "S3",
    isTokenObtained: false,
    make: ({ files: given = files, isWrong = false, planned }) =>
      Effect.map(S3Server.make(given, 2, planned), (endpoint) =>
        S3Source.make({
          id,
          bucket: "wiki",
          endpoint,
          ...S3Server.credentials,
          ...(isWrong ? { secretAccessKey: "guess" } : {})
        }))
  },
  {
    name: "Google Cloud Storage",
    isTokenObtained: true,
    make: ({ files: given = files, issued, isWrong = false, planned }) =>
      Effect.map(GcsServer.make(given, planned, issued), (endpoint) => {
        const serviceAccount = GcsServer.keyFile(endpoint)
        return GcsSource.make({
          id,
          bucket: "wiki",
          endpoint,
          serviceAccount: isWrong ? serviceAccount.replace("reader@", "guess@") : serviceAccount
        })
      })
  },
  {
    name: "Azure Blob Storage with a key",
    isTokenObtained: false,
    make: ({ files: given = files, isWrong = false, planned }) =>
      Effect.map(AzureBlobServer.make(given, planned), (endpoint) =>
        AzureBlobSource.make({
          id,
          account: "company",
          container: "wiki",
          endpoint,
          accountKey: isWrong ? "guess" : AzureBlobServer.key
        }))
  },
  {
    name: "Azure Blob Storage with a shared access signature",
    isTokenObtained: false,
    make: ({ files: given = files, isWrong = false, planned }) =>
      Effect.map(AzureBlobServer.make(given, planned), (endpoint) =>
        AzureBlobSource.make({
          id,
          account: "company",
          container: "wiki",
          endpoint,
          sasToken: isWrong ? "sig=guess" : `?${AzureBlobServer.sas}`
        }))
  },
  {
    name: "Azure Blob Storage with an application",
    isTokenObtained: true,
    make: ({ files: given = files, issued, isWrong = false, planned }) =>
      Effect.map(AzureBlobServer.make(given, planned, issued), (endpoint) =>
        AzureBlobSource.make({
          id,
          account: "company",
          container: "wiki",
          endpoint,
          application: { ...app, clientSecret: isWrong ? "guess" : "hush", authority: endpoint }
        }))
  },
  {
    name: "GitHub with a token",
    isTokenObtained: false,
    make: ({ files: given = files, isWrong = false, planned }) =>
      Effect.map(
        GitHubServer.make(given, planned),
        (endpoint) => GitHubSource.make({ id, repo: "company/wiki", endpoint, token: isWrong ? "guess" : "hush" })
      )
  },
  {
    name: "GitHub with an app",
    isTokenObtained: true,
    make: ({ files: given = files, issued = [], isWrong = false, planned }) =>
      Effect.map(GitHubServer.make(given, planned, issued), (endpoint) =>
        GitHubSource.make({
          id,
          repo: "company/wiki",
          endpoint,
          app: { appId: isWrong ? "guess" : "42", installationId: "7", privateKey: GcsServer.pem }
        }))
  },
  {
    name: "SharePoint",
    isTokenObtained: true,
    make: ({ files: given = files, issued, isWrong = false, planned }) =>
      Effect.map(SharePointServer.make(given, planned, issued), (endpoint) =>
        SharePointSource.make({
          id,
          ...app,
          clientSecret: isWrong ? "guess" : "hush",
          authority: endpoint,
          endpoint: `${endpoint}/v1.0`,
          hostname: "company.sharepoint.com",
          sitePath: "sites/wiki",
          drive: "Wiki"
        }))
  }
]

const none: Params = {}

const folderIn = ({ folder }: Source, path: string, maximum = 10_000) => {
  assert.isDefined(folder)
  return folder({ path, params: none, maximum })
}

const failureOf = <A>(effect: Effect.Effect<A, ContentSourceFailed>) => Effect.flip(effect)

const textIn = (source: Source, path: string) =>
  Effect.map(source.fetch(path, none), ({ bytes }) => new TextDecoder().decode(bytes))

const large: Reply = { headers: { "content-length": String(32 * 1024 * 1024 + 1) }, body: "x", isCut: true }

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

    it.live("an answer that is cut off passes, and one that is too large is refused before it is read", () =>
      Effect.gen(function*() {
        const cut = { body: "{\"items\":[".padEnd(1000), isCut: true }
        for (const planned of [[cut], [{ body: "{\"value\":[<ListBucketResult><EnumerationResults>" }]]) {
          const failure = yield* failureOf(folderIn(yield* make({ planned }), "docs/"))
          assert.strictEqual(failure.reason, "unavailable", failure.message)
        }
        const halved = yield* failureOf((yield* make({ planned: [cut] })).fetch("docs/planes.md", none))
        assert.strictEqual(halved.reason, "unavailable", halved.message)
        const refused = yield* failureOf((yield* make({ planned: [large] })).fetch("docs/planes.md", none))
        assert.strictEqual(refused.reason, "refused", refused.message)
      }))

    if (isTokenObtained) {
      it.live("its token is obtained once, and again when it is refused", () =>
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

describe("options of sources", () => {
  it("an invalid option is an error that names the source, without its secrets", () => {
    const secret = "hush-hush"
    const faults: ReadonlyArray<() => unknown> = [
      () => GcsSource.make({ id, bucket: "wiki", serviceAccount: `{"private_key":"${secret}"}` }),
      () => GcsSource.make({ id, bucket: "a/b" }),
      () => AzureBlobSource.make({ id, account: "Company", container: "wiki" }),
      () => AzureBlobSource.make({ id, account: "company", container: "wiki", sasToken: secret, accountKey: secret }),
      () => GitHubSource.make({ id, repo: "wiki", token: secret }),
      () => GitHubSource.make({ id, app: { appId: "1", installationId: "2", privateKey: secret } }),
      () => SharePointSource.make({ id, ...app, clientSecret: secret, hostname: "x/y" }),
      () => SharePointSource.make({ id, ...app, clientSecret: secret, hostname: "x.example", sitePath: "../y" }),
      () => S3Source.make({ id, bucket: "wiki", accessKeyId: "a", secretAccessKey: secret, endpoint: "ftp://x" })
    ]
    for (const fault of faults) {
      let message = ""
      try {
        fault()
      } catch (error) {
        message = String(error)
      }
      assert.match(message, /Source 'wiki': /)
      assert.notInclude(message, secret)
    }
  })

  it("an empty secret, whose setting is missing, is an error that names the option", () => {
    const s3 = { id, bucket: "wiki", accessKeyId: "a", secretAccessKey: "b" }
    const azure = { id, account: "company", container: "wiki" }
    const faults: ReadonlyArray<readonly [option: string, () => unknown]> = [
      ["accessKeyId", () => S3Source.make({ ...s3, accessKeyId: "" })],
      ["secretAccessKey", () => S3Source.make({ ...s3, secretAccessKey: Redacted.make("") })],
      ["accessToken", () => GcsSource.make({ id, bucket: "wiki", accessToken: "" })],
      ["sasToken", () => AzureBlobSource.make({ ...azure, sasToken: "" })],
      ["clientSecret", () => AzureBlobSource.make({ ...azure, application: { ...app, clientSecret: "" } })],
      ["token", () => GitHubSource.make({ id, token: "" })],
      ["clientSecret", () => SharePointSource.make({ id, ...app, clientSecret: "", hostname: "x.example" })]
    ]
    for (const [option, fault] of faults) assert.throws(fault, `Source 'wiki': ${option} is empty`)
  })

  it("a secret that no header can have, as one with the line end of its file, is an error that names the option", () => {
    for (const token of ["hush\n", "hu\nsh", "hüsh→", "hush\0"]) {
      assert.throws(
        () => GitHubSource.make({ id, token }),
        "Source 'wiki': token must be one line of ASCII, without blanks around it"
      )
    }
  })
})
