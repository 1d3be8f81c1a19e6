// Contents of repositories on GitHub, or on a GitHub Enterprise server.
import type * as AuthorOptions from "@svc-runtime/engine/userCode/Options"
import { Clock, Effect, type Redacted, Schema } from "effect"
import { ContentSourceFailed, type FolderFile, type Params, type Source } from "../ContentSource.ts"
import * as AccessToken from "./AccessToken.ts"
import * as SourceClient from "./SourceClient.ts"

/** An app of GitHub that is installed where the repository is. */
export interface App {
  readonly appId: string
  readonly installationId: string
  /** In PEM, as GitHub gives it. */
  readonly privateKey: string | Redacted.Redacted
}

export interface Options extends SourceClient.SourceOptions {
  /** `owner/name`. Without it callers name one in `source_params.repo`: each that the token can read. */
  readonly repo?: string | undefined
  /** A branch, a tag or a commit. Callers can name another one. Default: the default branch of the repository. */
  readonly branch?: string | undefined
  /** A token or an app. Without either: public repositories. */
  readonly token?: string | Redacted.Redacted | undefined
  /** An app of GitHub, instead of a token. */
  readonly app?: App | undefined
  /** The address of the API. Default: `https://api.github.com`. */
  readonly endpoint?: string | undefined
}

const repoRule = /^[\w.-]{1,100}\/[\w.-]{1,100}$/

/** What git allows, without what a URL would take for another path. */
const branchRule = /^(?!.*(?:\.\.|\/\/|@\{))[^\s~^:?*[\\\0/.][^\s~^:?*[\\\0]{0,254}$/

const repoProblem = (repo: string): string | undefined =>
  repoRule.test(repo) && !repo.split("/").some((part) => part === "." || part === "..")
    ? undefined
    : "repo must be the owner and the name of a repository: owner/name"

const Tree = Schema.Struct({
  truncated: Schema.Boolean,
  tree: Schema.Array(Schema.Struct({
    path: Schema.String,
    mode: Schema.String,
    type: Schema.String,
    sha: Schema.String,
    size: Schema.optionalKey(Schema.Natural)
  }))
})

const Installed = Schema.Struct({ token: Schema.NonEmptyString, expires_at: Schema.String })

const Refusal = Schema.fromJsonString(Schema.Struct({ message: Schema.String }))

/** Symbolic links are no files. */
const link = "120000"

/** Folders in folders. */
const maxDepth = 50

const host = "GitHub"

const checkedKey = (pem: string | Redacted.Redacted, invalid: (problem: string) => Error) => {
  try {
    return AccessToken.privateKeyOf(pem)
  } catch {
    // the error can have the key
    throw invalid("app.privateKey must be a private key in PEM")
  }
}

const failed = (
  response: Parameters<typeof SourceClient.failureOf>[0],
  subject: SourceClient.Subject
) => {
  const refusal = Schema.decodeUnknownOption(Refusal)(SourceClient.textOf(response))
  return SourceClient.failureOf(response, subject, refusal._tag === "Some" ? refusal.value.message : undefined)
}

/** The token of an installation. */
const tokenOf = (
  send: SourceClient.Send,
  base: string,
  { appId, installationId }: App,
  key: ReturnType<typeof checkedKey>
) =>
  AccessToken.make(Effect.gen(function*() {
    const jwt = yield* AccessToken.signed(key, { iss: appId })
    const response = yield* send({
      url: `${base}/app/installations/${encodeURIComponent(installationId)}/access_tokens`,
      method: "POST",
      headers: { authorization: `Bearer ${jwt}`, accept: "application/vnd.github+json" },
      body: { content: "{}", type: "application/json" },
      maxBytes: SourceClient.maxBytes.token
    })
    if (response.status !== 201) return yield* failed(response, { place: "App", name: host, path: undefined })
    const { expires_at, token } = yield* SourceClient.decodeJson(Installed, host)(response)
    const seconds = (Date.parse(expires_at) - (yield* Clock.currentTimeMillis)) / 1000
    return { token, seconds: Number.isFinite(seconds) ? seconds : 0 }
  }))

const kinds: AuthorOptions.Kinds<Exclude<keyof Options, keyof SourceClient.SourceOptions>> = {
  repo: "text",
  branch: "text",
  token: "secret",
  app: "object",
  endpoint: "text"
}

/**
 * A repository of GitHub. Throws an `Error` if an option is invalid.
 *
 * ```ts
 * import { GitHubSource, Knowledge } from "@svc-runtime/server"
 *
 * const docs = GitHubSource.make({
 *   id: "docs",
 *   repo: "company/docs",
 *   branch: "main",
 *   token: process.env["DOCS_TOKEN"] ?? ""
 * })
 *
 * Knowledge.make({ name: "handbook", sources: [docs] })
 * ```
 */
export const make = (options: Options): Source => {
  const invalid = SourceClient.checkOptions("GitHubSource", options, kinds, [])
  const { app, id, name = id, prefix = "", repo, token } = options
  const repoFault = repo === undefined ? undefined : repoProblem(repo)
  if (repoFault !== undefined) throw invalid(`${repoFault}, not '${repo}'`)
  if (options.branch !== undefined && !branchRule.test(options.branch)) {
    throw invalid(`branch '${options.branch}' is no name of a branch`)
  }
  if (app !== undefined && token !== undefined) throw invalid("only one of token and app can be given")
  SourceClient.checkGiven({ token }, invalid)
  const endpoint = SourceClient.urlOf(options.endpoint ?? "https://api.github.com", invalid)
  const base = endpoint.href.replace(/(?<!\/)\/+$/, "")
  const plain = SourceClient.make([endpoint])
  const installed = app === undefined ? undefined : tokenOf(plain, base, app, checkedKey(app.privateKey, invalid))
  const send = AccessToken.authorized(plain, installed ?? (token === undefined ? undefined : AccessToken.fixed(token)))

  /** The repository and the reference that parameters name. */
  const placeOf = (params: Params) => ({
    repo: repo ?? params["repo"] ?? "",
    branch: params["branch"] ?? options.branch ?? "HEAD"
  })

  const treeOf = SourceClient.decodeJson(Tree, host)

  const tree = Effect.fnUntraced(function*(repo: string, ref: string, isWhole: boolean) {
    const response = yield* send({
      url: `${base}/repos/${repo}/git/trees/${SourceClient.encode(ref)}${isWhole ? "?recursive=1" : ""}`,
      headers: { accept: "application/vnd.github+json", "x-github-api-version": "2022-11-28" },
      maxBytes: SourceClient.maxBytes.list
    })
    if (response.status === 200) return yield* treeOf(response)
    return yield* failed(response, { place: "Repository or branch", name: `${repo} (${ref})`, path: undefined })
  })

  /** Folder by folder, because the tree of a whole repository can be too large for a response. */
  const folderOf = Effect.fnUntraced(function*(repo: string, ref: string, path: string) {
    let sha = ref
    for (const part of path.split("/").filter((part) => part !== "")) {
      const { tree: entries } = yield* tree(repo, sha, false)
      const found = entries.find((entry) => entry.path === part && entry.type === "tree")
      if (found === undefined) {
        return yield* new ContentSourceFailed({ reason: "missing", message: `Folder not found: ${path}` })
      }
      sha = found.sha
    }
    return sha
  })

  return {
    id,
    name,
    type: "github",
    prefix,
    sync: SourceClient.syncOf(options.sync, invalid),
    params: repo === undefined ? ["branch", "repo"] : ["branch"],
    paramsProblem: (params) => {
      if (params["branch"] !== undefined && !branchRule.test(params["branch"])) {
        return "branch must be the name of a branch"
      }
      if (repo !== undefined) return undefined
      return params["repo"] === undefined
        ? "repo is missing: name a repository, owner/name"
        : repoProblem(params["repo"])
    },
    list: undefined,
    folder: Effect.fnUntraced(function*({ maximum, params, path }) {
      const { branch, repo } = placeOf(params)
      if (path.split("/").length > maxDepth) {
        return yield* SourceClient.refused(`'${path}' is deeper than ${maxDepth} folders`)
      }
      const found = yield* tree(repo, yield* folderOf(repo, branch, path), true)
      const files = found.tree.filter(({ mode, type }) => type === "blob" && mode !== link)
      if (found.truncated || files.length > maximum) return yield* SourceClient.tooMany(path, maximum)
      const start = path === "" || path.endsWith("/") ? path : `${path}/`
      return files.map((file): FolderFile => ({
        key: `${start}${file.path}`,
        size: file.size ?? null,
        version: file.sha
      }))
    }),
    fetch: Effect.fnUntraced(function*(path, params) {
      const { branch, repo } = placeOf(params)
      const response = yield* send({
        url: `${base}/repos/${repo}/contents/${SourceClient.encodePath(path)}?ref=${SourceClient.encode(branch)}`,
        headers: { accept: "application/vnd.github.raw+json", "x-github-api-version": "2022-11-28" },
        maxBytes: SourceClient.maxBytes.file
      })
      if (response.status !== 200) return yield* failed(response, { place: "Repository", name: repo, path })
      // a folder is a list, whatever was asked for
      return /^application\/json\b/.test(response.headers["content-type"] ?? "")
        ? yield* SourceClient.refused(`${path} is a folder: end its path with /`)
        : { bytes: response.body, type: undefined }
    })
  }
}
