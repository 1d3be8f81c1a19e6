// A service as `svc connect` meets it: it describes itself, keeps service accounts and serves MCP, as strictly as it
// is configured. Tests can read what it holds.
import { fakeService, info, type RecordedRequest, Refusal } from "../FakeService.ts"

export interface Settings {
  readonly address?: string
  readonly name?: string | null
  readonly auth_mode?: "none" | "security_key" | "jwt"
  readonly oauth?: { readonly authorization_servers: ReadonlyArray<string> | null; readonly resource: string } | null
  readonly mcpEnabled?: boolean
  /** MCP lets everybody in. */
  readonly openMcp?: boolean
  readonly sse?: boolean
  readonly adminKey?: string
  /** The status of every MCP call with a token; for services that break. */
  readonly mcpStatus?: () => number | undefined
}

interface Kept {
  readonly id: string
  readonly name: string
  readonly token: string
  readonly request: Record<string, unknown>
  revoked_at: number | null
}

export const adminKey = "an-admin-key"
const address = "http://localhost:7777"

const detailOf = ({ id, name, revoked_at, token }: Kept) => ({
  id,
  name,
  principal: `sa:${name}`,
  token_prefix: token.slice(0, 12),
  scopes: ["agents:run"],
  created_at: 1,
  expires_at: null,
  last_used_at: null,
  revoked_at
})

const bearer = ({ headers }: RecordedRequest): string | undefined =>
  headers.get("authorization")?.replace("Bearer ", "")

export const platform = (settings: Settings = {}) => {
  const { auth_mode: mode = "security_key", oauth = null, sse = false } = settings
  const at = settings.address ?? address
  const accounts: Array<Kept> = []
  const live = (token: string | undefined) => accounts.find((kept) => kept.token === token && kept.revoked_at === null)
  const isAdmin = (received: RecordedRequest) =>
    mode === "none" || bearer(received) === (settings.adminKey ?? adminKey) || live(bearer(received)) !== undefined
  const guarded = (respond: (received: RecordedRequest) => unknown) => (received: RecordedRequest) =>
    isAdmin(received) ? respond(received) : new Refusal(401, { detail: "Invalid authentication token" })

  const create = guarded((received) => {
    const request = JSON.parse(received.body)
    const { name } = request
    if (accounts.some((kept) => kept.name === name && kept.revoked_at === null)) {
      return new Refusal(409, { detail: "Service account already exists" })
    }
    const kept = {
      id: `id-${accounts.length + 1}`,
      name,
      token: `svc_pat_${name}-${accounts.length + 1}`,
      request,
      revoked_at: null
    }
    accounts.push(kept)
    return new Refusal(201, { ...detailOf(kept), token: kept.token })
  })
  const list = guarded(({ url }) => {
    const all = accounts.filter((kept) => !url.includes("include_revoked=false") || kept.revoked_at === null)
    return { data: all.map(detailOf), meta: { page: 1, limit: 100, total_pages: 1, total_count: all.length } }
  })
  const revoke = (id: string) =>
    guarded(() => {
      const kept = accounts.find((account) => account.id === id)
      if (kept === undefined) return new Refusal(404, { detail: "Not found" })
      kept.revoked_at = 2
      return new Refusal(204, null)
    })

  const respond = (body: unknown, headers: Record<string, string> = {}) =>
    sse
      ? new Response(
        `event: message\ndata: {"jsonrpc":"2.0","method":"notifications/message"}\n\nevent: message\ndata: ${
          JSON.stringify(body)
        }\n\n`,
        { headers: { "content-type": "text/event-stream", ...headers } }
      )
      : new Response(JSON.stringify(body), { headers: { "content-type": "application/json", ...headers } })
  const mcp = (received: RecordedRequest) => {
    const token = bearer(received)
    const broken = settings.mcpStatus?.()
    if (token !== undefined && broken !== undefined) return new Refusal(broken, { detail: "broken" })
    const isLetIn = settings.openMcp === true || (mode === "none" && oauth === null) || live(token) !== undefined ||
      (mode === "security_key" && token === adminKey)
    if (!isLetIn) {
      return new Response(null, {
        status: 401,
        headers: oauth === null ? {} : { "www-authenticate": "Bearer resource_metadata=\"x\"" }
      })
    }
    const { id, method } = JSON.parse(received.body)
    if (method === "initialize") {
      return respond({ jsonrpc: "2.0", id, result: { protocolVersion: "2025-03-26", capabilities: {} } }, {
        "mcp-session-id": "s1"
      })
    }
    if (received.headers.get("mcp-session-id") !== "s1") return new Refusal(400, "Missing session ID")
    if (id === undefined) return new Refusal(202, "")
    return respond({ jsonrpc: "2.0", id, result: { tools: [{ name: "run_agent" }, { name: "run_team" }] } })
  }

  const service = fakeService({
    [at]: {
      "GET /health": { status: "ok" },
      "GET /info": info({
        name: settings.name === undefined ? "Acme Prod" : settings.name,
        auth_mode: mode,
        mcp: { enabled: settings.mcpEnabled ?? true, path: "/mcp", oauth }
      }),
      "POST /service-accounts": create,
      "GET /service-accounts": list,
      ...Object.fromEntries(
        Array.from({ length: 12 }, (_, n) => [`DELETE /service-accounts/id-${n + 1}`, revoke(`id-${n + 1}`)])
      ),
      ...(settings.mcpEnabled === false ? {} : { "POST /mcp": mcp })
    }
  })
  return {
    ...service,
    accounts,
    url: at,
    mcpUrl: `${at}/mcp`,
    active: () => accounts.filter(({ revoked_at }) => revoked_at === null)
  }
}

export type Platform = ReturnType<typeof platform>
