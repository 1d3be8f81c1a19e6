// What a browser shows at `/`: where to look. The page has no scripts, and loads nothing.
import { mcpPath, type Settings } from "@svc-runtime/http/Settings"
import { escaped } from "@svc-runtime/http/wire/Html"
import { HttpServerResponse } from "effect/http"
import { createHash } from "node:crypto"

const style =
  "body{font:16px/1.5 system-ui,sans-serif;max-width:40rem;margin:8vh auto;padding:0 1rem;color-scheme:light dark}"

const hash = createHash("sha256").update(style).digest("base64")

const headers = {
  "content-security-policy": `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; frame-ancestors 'none'`,
  "x-content-type-options": "nosniff",
  "cache-control": "no-store"
}

const linksOf = ({ authMode, console, docs, mcp }: Settings): ReadonlyArray<readonly [path: string, text: string]> => [
  ...(console ? [["/console/", "The console: chat, runs, approvals"]] as const : []),
  ...(docs
    ? [
      ["/docs", "The API, to try requests"],
      ["/redoc", "The API, to read"],
      ["/openapi.json", "The API's document"]
    ] as const
    : []),
  ...(authMode === "none" ? [["/agents", "Agents"], ["/teams", "Teams"], ["/workflows", "Workflows"]] as const : []),
  ["/info", "What the service is, and how callers authenticate"],
  ["/ready", "Whether it accepts runs"],
  ...(mcp.enabled ? [[mcpPath, "The address for assistants, over MCP"]] as const : [])
]

/** A client of MCP uses its address, and a browser gets nothing there. */
const item = ([path, text]: readonly [path: string, text: string]): string =>
  path === mcpPath ? `<li><code>${path}</code> ${text}</li>` : `<li><a href="${path}">${path}</a> ${text}</li>`

export const make = (settings: Settings): HttpServerResponse.HttpServerResponse => {
  const { description, name, version } = settings
  const title = escaped(name)
  return HttpServerResponse.html(`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>
<style>${style}</style></head>
<body>
<h1>${title}</h1>
<p>${description === undefined ? "" : `${escaped(description)} `}Svc ${escaped(version)}</p>
<ul>
${linksOf(settings).map(item).join("\n")}
</ul>
</body>
</html>`).pipe(HttpServerResponse.setHeaders(headers))
}

export const isWanted = (accept: string | undefined): boolean => accept?.includes("text/html") ?? false
