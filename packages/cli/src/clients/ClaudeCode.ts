// Claude Code: entries of the user, of the project, and of the user in one project, which Claude Code writes itself.
import { authorizationOf, headersOf, tokenOf } from "./AuthorizationHeader.ts"
import type { Client, ClientEnvironment, Layout, Registration, Scope } from "./Client.ts"
import type { Entries } from "./text/EntryFormat.ts"
import * as Formats from "./text/Formats.ts"

const layout = ({ cwd, home, path, platform, variable }: ClientEnvironment): Layout => {
  const file = path.join(variable("CLAUDE_CONFIG_DIR") ?? home, ".claude.json")
  const shared = path.join(cwd, ".mcp.json")
  const user: Scope = { file, place: ["mcpServers"], format: Formats.json, label: `${file} (user scope)` }
  const project: Scope = { file: shared, place: ["mcpServers"], format: Formats.json, label: shared }
  // on Windows the keys of projects have had both slashes
  const folders = platform === "win32" ? [cwd, cwd.replaceAll("\\", "/")] : [cwd]
  const local = folders.map((folder): Scope => ({
    file,
    place: ["projects", folder, "mcpServers"],
    format: Formats.json,
    label: `${file} (local scope)`
  }))
  return {
    scopes: [...local, project, user],
    user,
    project,
    evidence: { programs: ["claude"], paths: [file] },
    makesFolder: false
  }
}

/** The address and the headers of an entry. Several clients use this format. */
export const decodeHttp = (entry: Entries): Registration | undefined => {
  const url = entry["url"]
  if (typeof url !== "string" || url === "") return undefined
  return { url, token: tokenOf(authorizationOf(entry["headers"])) }
}

export const ClaudeCode: Client = {
  // the contract names clients by their role
  key: "cli-assistant",
  name: "Claude Code",
  aliases: ["claude-code", "claude"],
  layout,
  encode: ({ token, url }) => {
    const headers = headersOf(token)
    return { type: "http", url, ...(headers && { headers }) }
  },
  decode: decodeHttp,
  signIn: (name) => `Run \`claude mcp login ${name}\`, or choose /mcp → Authenticate in a session.`,
  projectWarning: "The file now holds a token, and projects often share it by version control: keep it out of that."
}
