// The machine of a person who has the clients installed: their config files, read as they are on the disk.
import { Effect } from "effect"
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { type Place, place } from "../Cli.ts"

export const files = {
  "cli-assistant": ".claude.json",
  "desktop-assistant": ".config/Claude/claude_desktop_config.json",
  "terminal-assistant": ".codex/config.toml",
  "editor-assistant": ".cursor/mcp.json"
} as const
export type Key = keyof typeof files
export const keys = Object.keys(files) as ReadonlyArray<Key>

export interface Home extends Place {
  /** Of the home directory, unless the path is absolute. */
  readonly file: (path: string) => string
  readonly put: (path: string, text: string) => void
  readonly read: (path: string) => string
  readonly has: (path: string) => boolean
  readonly mode: (path: string) => number
  readonly json: (path: string) => { readonly mcpServers: Record<string, unknown> }
}

const homeAt = (at: Place): Home => {
  const file = (path: string) => path.startsWith("/") ? path : join(at.home, path)
  const read = (path: string) => readFileSync(file(path), "utf8")
  return {
    ...at,
    file,
    read,
    put: (path, text) => {
      mkdirSync(dirname(file(path)), { recursive: true })
      writeFileSync(file(path), text)
    },
    has: (path) => existsSync(file(path)),
    mode: (path) => statSync(file(path)).mode & 0o777,
    json: (path) => JSON.parse(read(path))
  }
}

/** Nothing is installed. */
export const bare = Effect.map(place, homeAt)

/** All four clients are there and know no service. */
export const full = Effect.map(bare, (home) => {
  home.put(".claude.json", "{\n  \"numStartups\": 3\n}\n")
  home.put(".cursor/mcp.json", "{\n  \"mcpServers\": {}\n}\n")
  home.put(".codex/config.toml", "model = \"m\"\n")
  home.put(".config/Claude/claude_desktop_config.json", "{}\n")
  return home
})
