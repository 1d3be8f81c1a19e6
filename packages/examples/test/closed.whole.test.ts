// A closed service as a user has it, following docs/operate/authorization.md: a pair of keys, tokens from the token
// script, a process that knows the public key, and what is left of it all on the disk.
import { assert, describe, it } from "@effect/vitest"
import { ServiceProcess } from "@svc-runtime/test-support"
import * as TemporaryDirectory from "@svc-runtime/test-support/TemporaryDirectory"
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import { generateKeyPairSync } from "node:crypto"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const source = (name: string) => fileURLToPath(new URL(`../src/${name}`, import.meta.url))

interface Json {
  readonly [key: string]: any // oxlint-disable-line typescript/no-explicit-any -- raw answers are read as they are
}

const run = (...args: ReadonlyArray<string>) => {
  const { status, stderr, stdout } = spawnSync(process.execPath, [source("token.ts"), ...args], {
    encoding: "utf8",
    env: ServiceProcess.environment()
  })
  return { status, stderr, token: stdout.trim() }
}

const call = (url: string, token?: string, init: RequestInit = {}) =>
  Effect.promise(async () => {
    const headers = { ...init.headers as object, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) }
    const response = await fetch(url, { ...init, headers })
    const text = await response.text()
    return { status: response.status, json: text === "" ? {} : JSON.parse(text) as Json }
  })

const json = (body: unknown): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body)
})

const form = (fields: Readonly<Record<string, string>>): RequestInit => ({
  method: "POST",
  body: new URLSearchParams(fields)
})

/** Every byte that the service has kept. */
const stored = (path: string): string =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .map((file) => readFileSync(join(file.parentPath, file.name), "latin1"))
    .join("\n")

describe("a closed service, as a process", () => {
  it.live(
    "a closed service accepts the callers of its configuration, isolates them, and stores no token",
    () =>
      Effect.scoped(Effect.gen(function*() {
        const home = yield* TemporaryDirectory.make
        const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })
        const key = join(home, "private.pem")
        writeFileSync(key, privateKey.export({ type: "pkcs8", format: "pem" }))
        const dataDir = yield* TemporaryDirectory.withDatabase
        const env = {
          DATA_DIR: dataDir,
          PORT: "0",
          HOST: "0.0.0.0",
          MODEL: "demo",
          AUTHORIZATION: "true",
          JWT_VERIFICATION_KEY: String(publicKey.export({ type: "spki", format: "pem" })),
          LOG_LEVEL: "All"
        }
        const sign = (...args: ReadonlyArray<string>) => run("--key", key, ...args).token
        const ann = sign("--subject", "ann", "--scope", "agents:run", "--scope", "sessions:read")
        const bob = sign("--subject", "bob", "--scope", "sessions:read")
        const admin = sign("--subject", "ops", "--scope", "platform:admin")

        const first = yield* ServiceProcess.start(source("quickstart.ts"), env)
        const base = first.url.replace("0.0.0.0", "127.0.0.1")
        yield* first.saying("Closed: callers need a JSON Web Token")
        assert.strictEqual((yield* call(`${base}/info`)).json["auth_mode"], "jwt")
        assert.deepStrictEqual((yield* call(`${base}/agents`)).json, {
          detail: "Authorization header missing",
          error_code: "UNAUTHENTICATED"
        })
        const ended = yield* call(
          `${base}/agents/assistant/runs`,
          ann,
          form({ message: "hi", stream: "false", session_id: "s" })
        )
        assert.strictEqual(ended.json["status"], "COMPLETED")
        assert.strictEqual((yield* call(`${base}/sessions/s`, ann)).json["user_id"], "ann")
        assert.strictEqual((yield* call(`${base}/sessions/s`, bob)).status, 404)
        assert.strictEqual((yield* call(`${base}/agents`, ann)).status, 403)

        const nightly = { name: "nightly", scopes: ["agents:read"] }
        const kept = yield* call(`${base}/service-accounts`, admin, json(nightly))
        const revoked = yield* call(`${base}/service-accounts`, admin, json({ ...nightly, name: "revoked" }))
        const tokens: ReadonlyArray<string> = [kept.json["token"], revoked.json["token"]]
        assert.strictEqual((yield* call(`${base}/agents`, tokens[0])).status, 200)
        assert.strictEqual((yield* call(`${base}/agents`, tokens[1])).status, 200)
        const one = `${base}/service-accounts/${revoked.json["id"]}`
        assert.strictEqual((yield* call(one, admin, { method: "DELETE" })).status, 204)
        assert.strictEqual((yield* call(`${base}/agents`, tokens[1])).status, 401)
        assert.strictEqual(yield* first.end("SIGKILL"), "SIGKILL")

        const again = yield* ServiceProcess.start(source("quickstart.ts"), env)
        const later = again.url.replace("0.0.0.0", "127.0.0.1")
        assert.strictEqual((yield* call(`${later}/agents`, tokens[0])).status, 200)
        assert.strictEqual((yield* call(`${later}/agents`, tokens[1])).status, 401)
        const listed = yield* call(`${later}/service-accounts`, admin)
        assert.deepStrictEqual(listed.json["data"].map(({ name }: Json) => name), ["revoked", "nightly"])
        assert.isNumber(listed.json["data"][1].last_used_at)
        yield* again.end("SIGTERM")

        const everything = stored(dataDir) + first.stdout() + again.stdout()
        assert.include(everything, "nightly")
        for (const secret of [...tokens, ann, bob, admin]) assert.notInclude(everything, secret)
      }))
  )
})

describe("the token script", () => {
  it.each<readonly [args: ReadonlyArray<string>, RegExp]>([
    [[], /^Usage: npm run -s node -- packages\/examples\/src\/token\.ts/],
    [["--bogus"], /Unknown option '--bogus'[^]*Usage/],
    [["--key", "/nowhere.pem"], /cannot be read\. Make a key with: openssl/],
    [["--key", source("token.ts")], /is no private key for RS256/],
    [["--key", source("token.ts"), "--hours", "soon"], /--hours is a number above 0/]
  ])("the script with %j says what to do", (args, expected) => {
    const { status, stderr, token } = run(...args)
    assert.strictEqual(status, 1)
    assert.strictEqual(token, "")
    assert.match(stderr, expected)
  })
})
