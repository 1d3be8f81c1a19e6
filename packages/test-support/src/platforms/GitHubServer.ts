// A server that speaks the part of GitHub's REST API that an app needs to answer, for one app that is installed in one
// repository, and that signs what it sends: https://docs.github.com/rest
import { Effect } from "effect"
import { createHmac, generateKeyPairSync, randomUUID, verify } from "node:crypto"
import { type Answer, listen, type Request } from "./PlatformListener.ts"

export type Values = Record<string, unknown>

export interface Comment {
  readonly id: number
  readonly number: number
  /** On lines of code: the first comment of its thread. */
  readonly thread: number | undefined
  readonly user: Values
  body: string
  updated_at: string
}

export interface Options {
  readonly permissions?: Values
}

export type GitHubServer = Effect.Success<ReturnType<typeof make>>

const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })

const failed = (status: number, message: string, headers: Readonly<Record<string, string>> = {}): Answer => ({
  status,
  headers,
  body: { message, documentation_url: "https://docs.github.com/rest", status: String(status) }
})

const unauthorized = failed(401, "Bad credentials")
const notFound = failed(404, "Not Found")

const maxBody = 65_536

const ann: Values = { id: 7, login: "ann", type: "User" }

/** A server for as long as the scope lasts. */
export const make = Effect.fnUntraced(function*(options: Options = {}) {
  const { permissions = { issues: "write", pull_requests: "write", metadata: "read" } } = options
  const appId = "321"
  const slug = "desk"
  const installation = 55
  const repository = "acme/shop"
  const webhookSecret = "a-secret-of-the-webhook"
  const bot: Values = { id: 900, login: `${slug}[bot]`, type: "Bot" }
  const comments: Array<Comment> = []
  const calls: Array<string> = []
  const refusals: Array<Answer> = []
  const numbers = new Set([12])
  /** Tokens and until when they count, in milliseconds. */
  const tokens = new Map<string, number>()
  let next = 1
  let lifetime = 3_600_000

  const app = { id: Number(appId), slug, name: "Desk", permissions, events: ["issue_comment", "issues"] }

  /** Why a proof of the app is refused. */
  const jwtProblem = (jwt: string): string | undefined => {
    const [header = "", payload = "", signature = ""] = jwt.split(".")
    const isSigned = verify(
      "sha256",
      Buffer.from(`${header}.${payload}`),
      publicKey,
      Buffer.from(signature, "base64url")
    )
    if (!isSigned) return "A JSON web token could not be decoded"
    const { exp, iat, iss } = JSON.parse(Buffer.from(payload, "base64url").toString()) as Values
    const now = Date.now() / 1000
    if (String(iss) !== appId) return "'Issuer' claim ('iss') must be an Integer"
    if (Number(iat) > now) return "'Issued at' claim ('iat') must be an Integer representing the time"
    if (Number(exp) < now) return "'Expiration time' claim ('exp') must be a numeric value in the future"
    return Number(exp) > now + 600 ? "'Expiration time' claim ('exp') is too far in the future" : undefined
  }

  const wire = ({ body, id, thread, updated_at, user }: Comment): Values => ({
    id,
    body,
    user,
    created_at: updated_at,
    updated_at,
    html_url: `https://github.com/${repository}/issues/12#issuecomment-${id}`,
    ...(thread !== undefined && { in_reply_to_id: thread })
  })

  const add = (comment: Omit<Comment, "id" | "updated_at">): Comment => {
    const added = { ...comment, id: 1000 + next++, updated_at: new Date().toISOString() }
    comments.push(added)
    return added
  }

  const bodyOf = (request: Request): string | undefined => {
    const { body } = JSON.parse(request.body.toString() || "{}") as Values
    return typeof body === "string" && body.trim() !== "" && body.length <= maxBody ? body : undefined
  }

  const invalid = failed(422, "Validation Failed")

  const created = (request: Request, number: number, thread: number | undefined): Answer => {
    const body = bodyOf(request)
    if (!numbers.has(number)) return notFound
    if (body === undefined) return invalid
    return { status: 201, body: wire(add({ number, thread, user: bot, body })) }
  }

  const changed = (request: Request, id: number, isCode: boolean): Answer => {
    const found = comments.find((comment) => comment.id === id && (comment.thread !== undefined) === isCode)
    const body = bodyOf(request)
    if (found === undefined) return notFound
    if (body === undefined) return invalid
    if (found.user !== bot) return failed(403, "Resource not accessible by integration")
    Object.assign(found, { body, updated_at: new Date().toISOString() })
    return { body: wire(found) }
  }

  const listed = ({ query }: Request, number: number, isCode: boolean): Answer => {
    const size = Math.min(Number(query.get("per_page") ?? 30), 100)
    const from = (Number(query.get("page") ?? 1) - 1) * size
    const since = query.get("since") ?? ""
    const all = comments.filter((comment) =>
      comment.number === number && (comment.thread !== undefined) === isCode && comment.updated_at >= since
    )
    return { body: all.slice(from, from + size).map(wire) }
  }

  const ofRepository = (request: Request, path: string): Answer => {
    const [, kind, first, second, third, last] = /^\/(issues|pulls)\/(\w+)\/(\w+)(?:\/(\d+)\/(replies))?$/.exec(path) ??
      []
    const isCode = kind === "pulls"
    if (kind === undefined) return notFound
    if (first === "comments") return request.method === "PATCH" ? changed(request, Number(second), isCode) : notFound
    if (second !== "comments") return notFound
    if (last === "replies") {
      const thread = Number(third)
      const isKnown = comments.some(({ id }) => id === thread)
      return isCode && isKnown ? created(request, Number(first), thread) : notFound
    }
    if (request.method === "GET") return listed(request, Number(first), isCode)
    return isCode ? invalid : created(request, Number(first), undefined)
  }

  const answer = (request: Request): Answer => {
    const { headers, method, path } = request
    calls.push(`${method} ${path}`)
    if (headers["user-agent"] === undefined) {
      return failed(
        403,
        "Request forbidden by administrative rules. Please make sure your request has a User-Agent header"
      )
    }
    const [, given = ""] = /^(?:bearer|token) (.+)$/i.exec(headers["authorization"] ?? "") ?? []
    if (path === "/app" || path.startsWith("/app/")) {
      const problem = jwtProblem(given)
      if (problem !== undefined) return failed(401, problem)
      if (path === "/app") return { body: app }
      if (path !== `/app/installations/${installation}/access_tokens`) return notFound
      const token = `ghs_${randomUUID().replaceAll("-", "")}`
      const until = Date.now() + lifetime
      tokens.set(token, until)
      return { status: 201, body: { token, expires_at: new Date(until).toISOString(), permissions } }
    }
    if ((tokens.get(given) ?? 0) < Date.now()) return unauthorized
    const refusal = refusals.shift()
    if (refusal !== undefined) return refusal
    const prefix = `/repos/${repository}`
    return path.startsWith(prefix) ? ofRepository(request, path.slice(prefix.length)) : notFound
  }

  const { url } = yield* listen(answer)

  const base = (values: Values): Values => ({
    repository: { id: 1, full_name: repository, private: true },
    installation: { id: installation },
    sender: ann,
    ...values
  })

  const issueOf = (values: Values = {}): Values => ({
    id: 12_000,
    number: 12,
    title: "The lamp is dark",
    body: "It gives no light.",
    created_at: new Date().toISOString(),
    user: { id: 8, login: "ben", type: "User" },
    ...values
  })

  const commentOf = (text: string, values: Values): Values => ({
    id: 5000 + next++,
    body: text,
    created_at: new Date().toISOString(),
    user: ann,
    ...values
  })

  /** Bytes with their signature. */
  const signed = (body: string) => ({
    body,
    headers: {
      "content-type": "application/json",
      "user-agent": "GitHub-Hookshot/abc",
      "x-hub-signature-256": `sha256=${createHmac("sha256", webhookSecret).update(body).digest("hex")}`
    } as Record<string, string>
  })

  return {
    url,
    appId,
    slug,
    repository,
    installation,
    webhookSecret,
    privateKey: privateKey.export({ format: "pem", type: "pkcs8" }).toString(),
    comments: comments as ReadonlyArray<Comment>,
    calls: calls as ReadonlyArray<string>,
    signed,
    /** A request of GitHub. Its headers say which event it is, and are not signed. */
    requestOf: (payload: Values, event = "issue_comment", delivery: string = randomUUID()) => {
      const { body, headers } = signed(JSON.stringify(payload))
      return { body, headers: { ...headers, "x-github-event": event, "x-github-delivery": delivery } }
    },
    /** A person comments on an issue or on a pull request. */
    comment: (text: string, values: Values = {}): Values =>
      base({ action: "created", issue: issueOf(), comment: commentOf(text, values) }),
    /** A person comments on lines of code. */
    codeComment: (text: string, values: Values = {}): Values => {
      const { id } = add({ number: 12, thread: 0, user: ann, body: text })
      const place = { path: "src/door.ts", diff_hunk: "@@ -1 +1 @@\n-open\n+close" }
      return base({ action: "created", pull_request: issueOf(), comment: commentOf(text, { id, ...place, ...values }) })
    },
    review: (text: string | null, values: Values = {}): Values => {
      const review = { id: 6000 + next++, body: text, submitted_at: new Date().toISOString(), user: ann, ...values }
      return base({ action: "submitted", pull_request: issueOf(), review })
    },
    opened: (body: string | null, kind: "issue" | "pull_request" = "issue", values: Values = {}): Values =>
      base({ action: "opened", [kind]: issueOf({ body, user: ann, ...values }) }),
    check: (conclusion: string, values: Values = {}): Values =>
      base({
        action: "completed",
        check_run: {
          id: 7000 + next++,
          name: "lint",
          conclusion,
          completed_at: new Date().toISOString(),
          details_url: "https://ci.example/1",
          app: { id: 15_368 },
          output: { title: "1 problem", summary: "A line is too long" },
          pull_requests: [{ number: 12 }],
          ...values
        },
        sender: { id: 9, login: "checks[bot]", type: "Bot" }
      }),
    base,
    /** A comment of a person or of another app, in the conversation. */
    write: (body: string, user: Values = ann) => add({ number: 12, thread: undefined, user, body }),
    /** The tokens that the app has count no longer. */
    revoke: () => tokens.clear(),
    /** Milliseconds for which new tokens count. */
    setLifetime: (milliseconds: number) => {
      lifetime = milliseconds
    },
    /** The next call of the installation is refused. */
    refuse: (status: number, message: string, headers: Readonly<Record<string, string>> = {}) =>
      void refusals.push(failed(status, message, headers))
  }
})
