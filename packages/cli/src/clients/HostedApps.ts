// Hosted chat apps, which are configured on their websites. The tool prints the values, and whether they can reach the
// service.
import { isHttps, isLoopback } from "../discovery/Address.ts"

export const keys = ["web-assistant-a", "web-assistant-b"] as const
export type Key = (typeof keys)[number]

export interface HostedApp {
  readonly key: Key
  readonly name: string
  readonly aliases: ReadonlyArray<string>
  /** Where connectors are added. */
  readonly add: string
  readonly remove: string
}

export const all: ReadonlyArray<HostedApp> = [
  {
    key: "web-assistant-a",
    name: "claude.ai",
    aliases: ["claude-ai", "claudeai", "claude.ai"],
    add: "In claude.ai open Settings → Connectors, choose Add custom connector and paste the MCP URL.",
    remove: "In claude.ai open Settings → Connectors and remove the connector."
  },
  {
    key: "web-assistant-b",
    name: "ChatGPT",
    aliases: ["chatgpt", "gpt", "openai"],
    add: "In ChatGPT open Settings → Connectors (with developer mode on), choose Create and paste the MCP URL.",
    remove: "In ChatGPT open Settings → Connectors and delete the connector."
  }
]

const privateV4 =
  /^(?:0\.|10\.|127\.|169\.254\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.)/
const privateV6 = /^\[(?:::1?\]|f[cd]|fe[89ab])/i
const mappedV4 = /^\[::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/i

const isPrivateAddress = (host: string): boolean => {
  const mapped = mappedV4.exec(host)
  if (mapped === null) return privateV4.test(host) || privateV6.test(host)
  const bytes = mapped.slice(1).flatMap((group) => {
    const value = Number.parseInt(group, 16)
    return [value >> 8, value & 255]
  })
  return privateV4.test(`${bytes.join(".")}`)
}

/** Guesses from the address whether it is reachable from the internet. */
export const isPublic = (url: string): boolean => {
  if (!URL.canParse(url) || !isHttps(url) || isLoopback(url)) return false
  const { hostname } = new URL(url)
  return hostname !== "host.docker.internal" && !(/^[\d.]+$|^\[/.test(hostname) && isPrivateAddress(hostname))
}
