// A site on this machine that speaks the wire format of Microsoft Graph, with two document libraries.
import { createHash } from "node:crypto"
import { token } from "./AzureBlobServer.ts"
import { type Files, listen, pageOf, type Reply } from "./RemoteServer.ts"

const missing: Reply = { status: 404, body: { error: { code: "itemNotFound" } } }

const childrenOf = (files: Files, folder: string) => {
  const children = new Map<string, object>()
  for (const [key, text] of Object.entries(files)) {
    if (!key.startsWith(folder) || key.endsWith("/")) continue
    const [name = "", ...rest] = key.slice(folder.length).split("/")
    const cTag = `"c:${createHash("md5").update(text).digest("hex")}"`
    children.set(
      name,
      rest.length > 0
        ? { name, size: 1, folder: { childCount: 1 } }
        : { name, size: Buffer.byteLength(text), cTag, file: { mimeType: "text/markdown" } }
    )
  }
  return children
}

/** `issued` has the tokens. Files are sent from another path, as SharePoint does. */
export const make = (files: Files, planned: Array<Reply> = [], issued: Array<string> = []) =>
  listen(
    (request) => {
      const { headers, origin, path, query } = request
      const given = token(request, `${origin}/.default`, issued)
      if (given !== undefined) return given
      if (path.startsWith("/download/")) {
        return { body: files[decodeURIComponent(path.slice("/download/".length))] ?? "" }
      }
      if (headers["authorization"] !== `Bearer ${issued.at(-1)}`) {
        return { status: 401, body: { error: { code: "InvalidAuthenticationToken" } } }
      }
      if (path === "/v1.0/sites/company.sharepoint.com:/sites/wiki") return { body: { id: "company,1,2" } }
      if (path === "/v1.0/sites/company%2C1%2C2/drive") return { body: { id: "b!drive" } }
      if (path === "/v1.0/sites/company%2C1%2C2/drives") {
        return { body: { value: [{ id: "b!other", name: "Other" }, { id: "b!drive", name: "Wiki" }] } }
      }
      const [, inner = ""] = /^\/v1\.0\/drives\/b!drive\/root(.*)$/.exec(path) ?? []
      const [, item = "", rest = ""] = /^(?::\/(.*):)?\/(children|content)$/.exec(inner) ?? []
      const name = decodeURIComponent(item)
      if (rest === "content") {
        return files[name] === undefined
          ? missing
          : { status: 302, headers: { location: `${origin}/download/${item}` } }
      }
      const children = childrenOf(files, name === "" ? "" : `${name}/`)
      if (rest !== "children" || (name !== "" && children.size === 0)) return missing
      const { keys, next } = pageOf([...children.keys()], Number(query.get("$skiptoken") ?? 0))
      const link = next === undefined ? {} : { "@odata.nextLink": `${origin}${path}?$skiptoken=${next}` }
      return { body: { value: keys.map((key) => children.get(key)), ...link } }
    },
    planned,
    ({ path }) => !path.endsWith("/token")
  )
