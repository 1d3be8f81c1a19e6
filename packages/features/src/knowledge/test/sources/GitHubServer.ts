// A repository on this machine that speaks the wire format of GitHub: `company/wiki` with the branch `main`.
import { createHash } from "node:crypto"
import { claimsOf } from "./GcsServer.ts"
import { type Files, listen, type Reply } from "./RemoteServer.ts"

const shaOf = (text: string) => createHash("sha1").update(text).digest("hex")

const startOf = (folder: string) => folder === "" ? "" : `${folder}/`

/** The entries in a folder. */
const entriesOf = (files: Files, folder: string, isWhole: boolean) => {
  const entries = new Map<string, object>()
  for (const [key, text] of Object.entries(files)) {
    if (!key.startsWith(startOf(folder)) || key.endsWith("/")) continue
    const parts = key.slice(startOf(folder).length).split("/")
    for (let count = 1; count < parts.length; count++) {
      const path = parts.slice(0, count).join("/")
      entries.set(path, { path, mode: "040000", type: "tree", sha: shaOf(`tree ${startOf(folder)}${path}`) })
    }
    const path = parts.join("/")
    const mode = key.endsWith(".link") ? "120000" : "100644"
    entries.set(path, { path, mode, type: "blob", sha: shaOf(text), size: Buffer.byteLength(text) })
  }
  return [...entries].filter(([path]) => isWhole || !path.includes("/")).map(([, entry]) => entry)
}

const foldersOf = (files: Files) =>
  new Map(
    Object.keys(files).flatMap((key) =>
      key.split("/").slice(0, -1).map((_, index, parts) => parts.slice(0, index + 1).join("/"))
    ).map((folder) => [shaOf(`tree ${folder}`), folder])
  )

export const make = (files: Files, planned: Array<Reply> = [], issued: Array<string> = []) =>
  listen(
    ({ headers, method, path, query }) => {
      const bearer = String(headers["authorization"]).replace("Bearer ", "")
      if (path === "/app/installations/7/access_tokens" && method === "POST") {
        if (claimsOf(bearer)?.["iss"] !== "42") return { status: 401, body: { message: "Bad credentials" } }
        issued.push(`token-${issued.length + 1}`)
        // GitHub gives an hour
        return {
          status: 201,
          body: { token: issued.at(-1), expires_at: new Date(Date.now() + 3_600_000).toISOString() }
        }
      }
      if (bearer !== (issued.at(-1) ?? "hush")) return { status: 401, body: { message: "Bad credentials" } }
      if (!path.startsWith("/repos/company/wiki/")) return { status: 404, body: { message: "Not Found" } }
      const [, kind, rest = ""] = /^\/repos\/company\/wiki\/(git\/trees|contents)\/(.*)$/.exec(path) ?? []
      if (kind === "git/trees") {
        const isRoot = rest === "main" || rest === "HEAD"
        const folder = isRoot ? "" : foldersOf(files).get(rest)
        if (folder === undefined) return { status: 404, body: { message: "Not Found" } }
        const tree = entriesOf(files, folder, query.get("recursive") === "1")
        return { body: { sha: rest, tree, truncated: false } }
      }
      const key = decodeURIComponent(rest)
      if (!["main", "HEAD"].includes(query.get("ref") ?? "")) {
        return { status: 404, body: { message: "No commit found" } }
      }
      if ([...foldersOf(files).values()].includes(key)) {
        return { headers: { "content-type": "application/json; charset=utf-8" }, body: [] }
      }
      const isRaw = headers["accept"] === "application/vnd.github.raw+json"
      const text = files[key]
      return text === undefined || !isRaw
        ? { status: 404, body: { message: "Not Found" } }
        : { headers: { "content-type": "application/vnd.github.raw+json; charset=utf-8" }, body: text }
    },
    planned,
    ({ method }) => method === "GET"
  )
