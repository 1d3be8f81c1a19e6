// Codex: one TOML file of the user, in a directory that CODEX_HOME may move.
import { headersOf, tokenOf } from "./AuthorizationHeader.ts"
import type { Client, ClientEnvironment, Layout, Registration, Scope } from "./Client.ts"
import { type Entries, isRecord } from "./text/EntryFormat.ts"
import * as Formats from "./text/Formats.ts"

const layout = ({ home, path, variable }: ClientEnvironment): Layout => {
  const folder = variable("CODEX_HOME") ?? path.join(home, ".codex")
  const file = path.join(folder, "config.toml")
  const user: Scope = { file, place: ["mcp_servers"], format: Formats.toml, label: file }
  return { scopes: [user], user, project: undefined, evidence: { programs: [], paths: [folder] }, makesFolder: true }
}

/** Here the name of the header may be written in any case. */
const decode = (entry: Entries): Registration | undefined => {
  const { http_headers: headers, url } = entry
  if (typeof url !== "string" || url === "") return undefined
  const found = isRecord(headers)
    ? Object.entries(headers).find(([name]) => name.toLowerCase() === "authorization")
    : undefined
  return { url, token: tokenOf(found?.[1]) }
}

export const Codex: Client = {
  key: "terminal-assistant",
  name: "Codex",
  aliases: ["codex"],
  layout,
  encode: ({ token, url }) => {
    const headers = headersOf(token)
    return { url, ...(headers && { http_headers: headers }) }
  },
  decode,
  signIn: (name) => `Run \`codex mcp login ${name}\`.`
}
