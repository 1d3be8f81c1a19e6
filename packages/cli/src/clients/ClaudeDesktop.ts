// Claude Desktop starts servers as programs, so an entry starts a bridge to HTTP. The token is in the bridge's
// environment, because arguments of a program are readable by every user of the machine.
import type { Redacted } from "effect"
import { isHttps, isLoopback } from "../discovery/Address.ts"
import { headerOf, tokenOf } from "./AuthorizationHeader.ts"
import { decodeHttp } from "./ClaudeCode.ts"
import type { Client, ClientEnvironment, Layout, Registration, Scope } from "./Client.ts"
import { type Entries, isRecord } from "./text/EntryFormat.ts"
import * as Formats from "./text/Formats.ts"

const variableName = "AGNO_AUTH_HEADER"

const folderOf = ({ home, path, platform, variable }: ClientEnvironment): string => {
  switch (platform) {
    case "darwin":
      return path.join(home, "Library", "Application Support", "Claude")
    case "win32":
      return path.join(variable("APPDATA") ?? path.join(home, "AppData", "Roaming"), "Claude")
    default:
      return path.join(home, ".config", "Claude")
  }
}

const layout = (surroundings: ClientEnvironment): Layout => {
  const folder = folderOf(surroundings)
  const file = surroundings.path.join(folder, "claude_desktop_config.json")
  const user: Scope = { file, place: ["mcpServers"], format: Formats.json, label: file }
  return { scopes: [user], user, project: undefined, evidence: { programs: [], paths: [folder] }, makesFolder: true }
}

/** A fixed version, because the bridge gets a token. */
const bridge = "mcp-remote@0.15.1"

const encode = ({ token, url }: Registration): Entries => ({
  command: "npx",
  args: [
    "-y",
    bridge,
    url,
    // the bridge rejects plain HTTP without this option, and the user has allowed it
    ...(isHttps(url) || isLoopback(url) ? [] : ["--allow-http"]),
    ...(token === undefined ? [] : ["--header", `Authorization:\${${variableName}}`])
  ],
  ...(token !== undefined && { env: { [variableName]: headerOf(token) } })
})

/** Replaces `${NAME}` by the variable of the entry's environment. Other names stay unchanged. */
const expanded = (text: string, env: unknown): string =>
  text.replaceAll(/\$\{([^{}]*)\}/g, (whole, name: string) => {
    const value = isRecord(env) && Object.hasOwn(env, name) ? env[name] : undefined
    return typeof value === "string" ? value : whole
  })

const bridgedToken = (args: ReadonlyArray<string>, env: unknown): Redacted.Redacted | undefined => {
  const headers = args.flatMap((arg, at) => arg === "--header" ? [args[at + 1] ?? ""] : [])
  const value = headers.map((header) => /^\s*authorization\s*:([^]*)$/i.exec(header)?.[1]).find((found) =>
    found !== undefined
  )
  return value === undefined ? undefined : tokenOf(expanded(value, env).trim())
}

const decode = (entry: Entries): Registration | undefined => {
  const native = decodeHttp(entry)
  if (native !== undefined) return native
  const { args: given, env } = entry
  const args = Array.isArray(given) ? given.filter((arg) => typeof arg === "string") : []
  const url = args.find((arg) => /^https?:\/\//.test(arg))
  return url === undefined ? undefined : { url, token: bridgedToken(args, env) }
}

export const ClaudeDesktop: Client = {
  key: "desktop-assistant",
  name: "Claude Desktop",
  aliases: ["claude-desktop", "claude-app"],
  layout,
  encode,
  decode,
  signIn: () => "Restart Claude Desktop: the bridge opens your browser.",
  needs: "npx"
}
