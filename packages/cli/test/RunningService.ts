// A service on a port, for the tool as a process: it has one service account and makes others.
import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"

const account = { id: "id-x", name: "x", principal: "sa:x", token_prefix: "svc_pat_abc", scopes: ["agents:run"] }

/** A service with one account, and a folder. Revoked accounts are counted. */
export const withService = async (
  use: (service: { readonly url: string; readonly revoked: () => number }, folder: string) => Promise<void>
) => {
  let revoked = 0
  const server = createServer((request, response) => {
    const respond = (status: number, body?: object) =>
      response.writeHead(status, { "content-type": "application/json" }).end(body && JSON.stringify(body))
    if (request.headers.authorization === "Bearer wrong") return respond(401, { detail: "wrong" })
    if (request.method === "DELETE") {
      revoked += 1
      return respond(204)
    }
    if (request.method === "POST") return respond(201, { ...account, token: "svc_pat_abcdef" })
    if (request.url?.startsWith("/service-accounts") === true) {
      return respond(200, { data: [account], meta: { page: 1, limit: 100, total_pages: 1, total_count: 1 } })
    }
    return respond(200, {
      name: "Svc",
      version: "1.2.3",
      auth_mode: "security_key",
      mcp: { enabled: true, path: "/mcp", oauth: null }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const folder = mkdtempSync(join(tmpdir(), "svc-prompts-"))
  try {
    await use({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, revoked: () => revoked }, folder)
  } finally {
    server.closeAllConnections()
    server.close()
    rmSync(folder, { recursive: true, force: true })
  }
}
