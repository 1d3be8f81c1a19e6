import { assert, it } from "@effect/vitest"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import * as Features from "@svc-runtime/features/features"
import { codeOf, textOf } from "@svc-runtime/http/process/startFailure"
import { defaultLimits } from "@svc-runtime/http/Settings"
import { HttpServer } from "@svc-runtime/server"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Cause, Effect, Layer } from "effect"
import { Migrator, SqlClient } from "effect/sql"
import { spawnSync } from "node:child_process"
import { type AddressInfo, createServer, type Server } from "node:net"
import { tmpdir } from "node:os"

Tier.oneIn(3)

const api = Features.apiOf(Features.features)

const failing = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`select * from missing`)

it.effect("the line about a migration that fails has the reason of the database", () =>
  Effect.gen(function*() {
    const migrate = Migrator.make({})({
      loader: Effect.succeed([[45, "jobs", Effect.succeed(failing)]]),
      table: "migrations"
    })
    const exit = yield* Effect.exit(migrate)
    if (exit._tag !== "Failure") return assert.fail("the migration succeeded")
    assert.strictEqual(textOf(exit.cause), "Migration \"45_jobs\" failed: relation \"missing\" does not exist")
  }).pipe(Effect.provide(PgliteLayer.layerEmpty)))

it("the line about a database that does not reply has the reason without credentials", () => {
  const refused = new Error("cannot connect to postgres://svc:hunter2@db:5432/svc")
  assert.strictEqual(
    textOf(Cause.fail(new StorageUnavailable({ cause: refused }))),
    "The database does not reply: cannot connect to postgres://[redacted]@db:5432/svc"
  )
  const addresses = Object.assign(new AggregateError([]), { code: "ECONNREFUSED" })
  assert.strictEqual(
    textOf(Cause.fail(new StorageUnavailable({ cause: addresses }))),
    "The database does not reply: ECONNREFUSED"
  )
})

it.live.each<readonly [string, number, RegExp]>([
  ["nosuchhost.invalid", 0, /^HOST=nosuchhost\.invalid cannot be resolved \(E\w+\)\. Set HOST to an address/],
  ["192.0.2.1", 0, /^HOST=192\.0\.2\.1 is no address of this machine\. Set HOST to one, such as 127\.0\.0\.1/]
])(
  "the line about HOST=%s says why the service cannot listen, and what to set",
  ([host, port, line]) =>
    Effect.gen(function*() {
      const server = HttpServer.layer({ api, host, port, limits: defaultLimits, shutdownTimeout: "1 second" })
      const exit = yield* Effect.exit(Effect.scoped(Layer.build(server)))
      assert.match(exit._tag === "Failure" ? textOf(exit.cause) : "", line)
    })
)

it.live("npm start says that the port is in use before it loads the program, and npm test does not look", () =>
  Effect.gen(function*() {
    const taken = yield* Effect.acquireRelease(
      Effect.callback<Server>((resume) => {
        const server = createServer().listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
      }),
      (server) => Effect.sync(() => void server.close())
    )
    const { port } = taken.address() as AddressInfo
    const npmStart = new URL("../src/npmStart.ts", import.meta.url).href
    const started = (script: string) =>
      spawnSync(process.execPath, ["--import", npmStart, "--eval", "console.log('loaded')"], {
        encoding: "utf8",
        env: { ...process.env, HOST: "", PORT: String(port), npm_lifecycle_event: script }
      })
    const refused = started("start")
    assert.strictEqual(
      refused.stderr,
      `Something else listens on 127.0.0.1:${port}. Stop it, or set PORT to a free one.\n`
    )
    assert.deepStrictEqual([refused.status, refused.stdout], [1, ""])
    assert.deepStrictEqual([started("test").status, started("test").stdout], [0, "loaded\n"])
  }).pipe(Effect.scoped))

it("npm start names the program that is not there, and where its name is", () => {
  const npmStart = new URL("../src/npmStart.ts", import.meta.url).href
  const { status, stderr } = spawnSync(process.execPath, ["--import", npmStart, "src/nowhere.ts"], {
    cwd: tmpdir(),
    encoding: "utf8",
    env: { ...process.env, npm_lifecycle_event: "start" }
  })
  assert.match(
    stderr,
    /^There is no file \S*src\/nowhere\.ts\. The script "start" of package\.json names the program: write its name there\.\n$/
  )
  assert.strictEqual(status, 1)
})

it("the code of a failure is that of the system, or the tag of the error", () => {
  const cause = Object.assign(new Error("in use"), { code: "EADDRINUSE", syscall: "listen" })
  assert.strictEqual(codeOf(Cause.fail(Object.assign(new Error(""), { cause }))), "EADDRINUSE")
  assert.strictEqual(codeOf(Cause.fail(new StorageUnavailable({ cause: new Error("away") }))), "StorageUnavailable")
})

it("the line about a port that needs rights says which ports need none", () => {
  const cause = Object.assign(new Error("listen EACCES: permission denied 127.0.0.1:80"), {
    code: "EACCES",
    syscall: "listen",
    address: "127.0.0.1",
    port: 80
  })
  const failure = Object.assign(new Error(""), { cause })
  assert.match(
    textOf(Cause.fail(failure)),
    /^PORT=80 needs rights that the process does not have\. Set PORT to one above 1023/
  )
})

it("the line about an error without a message has its cause, or its name", () => {
  assert.strictEqual(
    textOf(Cause.fail(Object.assign(new Error(""), { cause: new Error("the disk is full") }))),
    "the disk is full"
  )
  assert.strictEqual(textOf(Cause.fail(Object.assign(new Error(""), { name: "Odd" }))), "Odd")
})

it("the line about another error has its message alone", () => {
  assert.strictEqual(
    textOf(Cause.fail(new Error("PORT is no number", { cause: new Error("a secret") }))),
    "PORT is no number"
  )
})

it("an older Node prints which one a project needs, and what to do", () => {
  const older = "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.11.0' } })"
  const npmStart = import.meta.resolve("../src/npmStart.ts")
  const { status, stderr } = spawnSync(
    process.execPath,
    ["--import", `data:text/javascript,${encodeURIComponent(older)}`, "--import", npmStart, "--eval", "0"],
    { encoding: "utf8" }
  )
  assert.strictEqual(status, 1)
  assert.match(stderr, /needs Node 22\.19 or newer, and this is 20\.11\.0.*npm install --save-dev node@24\n$/)
})
