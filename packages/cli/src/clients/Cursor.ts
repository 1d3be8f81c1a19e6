// Cursor: one file of the user, and one that a project may have.
import { headersOf } from "./AuthorizationHeader.ts"
import { decodeHttp } from "./ClaudeCode.ts"
import type { Client, ClientEnvironment, Layout, Scope } from "./Client.ts"
import * as Formats from "./text/Formats.ts"

const layout = ({ cwd, home, path }: ClientEnvironment): Layout => {
  const folder = path.join(home, ".cursor")
  const scope = (file: string): Scope => ({ file, place: ["mcpServers"], format: Formats.json, label: file })
  const user = scope(path.join(folder, "mcp.json"))
  const project = scope(path.join(cwd, ".cursor", "mcp.json"))
  return { scopes: [project, user], user, project, evidence: { programs: [], paths: [folder] }, makesFolder: true }
}

export const Cursor: Client = {
  key: "editor-assistant",
  name: "Cursor",
  aliases: ["cursor"],
  layout,
  encode: ({ token, url }) => {
    const headers = headersOf(token)
    return { url, ...(headers && { headers }) }
  },
  decode: decodeHttp,
  signIn: (name) => `Open Cursor → Settings → MCP and choose Connect on \`${name}\`.`,
  projectWarning: "The file now holds a token: keep it out of version control."
}
