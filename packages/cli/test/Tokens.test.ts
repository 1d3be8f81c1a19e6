// tokens: what is asked of a service, as whom, and what may never leave this machine.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { documentOf } from "./Cli.ts"
import { Refusal } from "./FakeService.ts"
import { account, admin, against, closed, local, minted } from "./TokenService.ts"

const keys = [
  "id",
  "name",
  "principal",
  "token_prefix",
  "scopes",
  "created_at",
  "expires_at",
  "last_used_at",
  "revoked_at"
]

describe("tokens create", () => {
  it.effect("create sends the requested fields, scopes as objects, and prints the account with its token last", () =>
    Effect.gen(function*() {
      const { run, sent } = against({ ...closed, "POST /service-accounts": minted })
      const given = [
        "create",
        "ci",
        "-s",
        "agents:run",
        "--scopes",
        "sessions:write, runs:read",
        "--expires",
        "30",
        "--privileged"
      ]
      const ran = yield* run([...given, "--json"], { variables: admin })
      assert.strictEqual(ran.code, 0)
      const document = documentOf<Record<string, unknown>>(ran)
      assert.deepStrictEqual(Object.keys(document), [...keys, "token"])
      assert.strictEqual(document["token"], "svc_pat_secret")
      const [call] = sent()
      assert.strictEqual(call?.headers.get("authorization"), "Bearer the admin")
      assert.deepStrictEqual(JSON.parse(call?.body ?? ""), {
        name: "ci",
        scopes: [{ scope: "agents:run", effect: "allow" }, { scope: "sessions:write", effect: "allow" }, {
          scope: "runs:read",
          effect: "allow"
        }],
        expires_in_days: 30,
        allow_privileged_scopes: true
      })
    }))

  it.effect("create says that an account with approvals:write approves nothing if it sees only its own runs", () =>
    Effect.gen(function*() {
      const noted = Effect.fnUntraced(function*(...scopes: ReadonlyArray<string>) {
        const reply = new Refusal(201, { ...account("lead", { scopes }), token: "svc_pat_secret" })
        const { run } = against({ ...closed, "POST /service-accounts": reply })
        const { stderr, stdout } = yield* run(["create", "lead", "--scopes", scopes.join(","), "--privileged"], {
          variables: admin
        })
        return (stdout + stderr).includes("Give it platform:admin to approve calls of others.")
      })
      assert.isTrue(yield* noted("approvals:read", "approvals:write"))
      assert.isFalse(yield* noted("approvals:write", "platform:admin"))
      assert.isFalse(yield* noted("approvals:read"))
    }))

  it.effect("create leaves out missing fields; ninety days is the default, never is never", () =>
    Effect.gen(function*() {
      const bodies: ReadonlyArray<readonly [expires: ReadonlyArray<string>, body: object]> = [
        [[], { name: "ci", expires_in_days: 90 }],
        [["--expires", " 7D "], { name: "ci", expires_in_days: 7 }],
        [["--expires", "30", "--expires", "NEVER"], { name: "ci", never_expires: true }]
      ]
      for (const [expires, body] of bodies) {
        const { run, sent } = against({ ...closed, "POST /service-accounts": minted })
        yield* run(["create", "ci", ...expires, "--json"], { variables: admin })
        assert.deepStrictEqual(JSON.parse(sent()[0]?.body ?? ""), body)
      }
    }))

  it.effect("wrong names and lifetimes are usage errors, and no service is asked", () =>
    Effect.gen(function*() {
      const { run, sent } = against({ ...closed, "POST /service-accounts": minted })
      for (
        const argv of [
          ["Ci"],
          ["-ci"],
          [""],
          ["a".repeat(64)],
          ["ci", "--expires", "0"],
          ["ci", "--expires", "-1"],
          ["ci", "--expires", "1.5"],
          ["ci", "--expires", "soon"],
          ["ci", "--expires", "9".repeat(30)],
          ["ci", "--expires", ""],
          ["ci", "--scopes"],
          []
        ]
      ) {
        const ran = yield* run(["create", ...argv, "--json"], { variables: admin })
        assert.strictEqual(ran.code, 2, argv.join(" "))
        assert.strictEqual(ran.stdout, "")
        assert.notStrictEqual(ran.stderr, "")
      }
      assert.deepStrictEqual(sent(), [])
    }))

  it.effect("create shows people the token once, with a warning beside it on standard error", () =>
    Effect.gen(function*() {
      const { run } = against({ ...closed, "POST /service-accounts": minted })
      const { stderr, stdout } = yield* run(["create", "ci"], { variables: admin })
      assert.include(stdout, "Created service account ci (sa:ci)")
      assert.match(stdout, /Scopes: +agents:run/)
      assert.match(stdout, /Expires: +\d{4}-\d\d-\d\d \d\d:\d\d UTC/)
      assert.include(stdout, "\n\n    svc_pat_secret\n\n")
      assert.include(stderr, "only time")
      assert.notInclude(stderr, "svc_pat_secret")
    }))

  it.effect("create says for a taken name that it has to be revoked, or another one chosen", () =>
    Effect.gen(function*() {
      const { run } = against({ ...closed, "POST /service-accounts": new Refusal(409, { detail: "taken" }) })
      const ran = yield* run(["create", "ci", "--json"], { variables: admin })
      assert.strictEqual(ran.code, 1)
      assert.include(documentOf(ran).error, "already exists")
      assert.include(documentOf(ran).hint ?? "", "svc tokens revoke ci")
      assert.notInclude(documentOf(ran).hint ?? "", "--rotate")
    }))

  it.effect("create shows the error of the service, whatever its form", () =>
    Effect.gen(function*() {
      const responses: ReadonlyArray<readonly [response: unknown, text: string]> = [
        [new Refusal(401, { detail: "no such key" }), "rejected the admin credential (no such key)"],
        [new Refusal(403, {}), "rejected the admin credential (HTTP 403)"],
        [
          new Refusal(422, { detail: [{ msg: "too long", loc: ["body", "scopes", 0] }] }),
          "too long (at body.scopes.0)"
        ],
        [new Refusal(500, "<html>"), "HTTP 500"],
        [new Refusal(201, "<html>"), "non-JSON"],
        [new Refusal(201, { name: "ci" }), "no id or no name"],
        [new Refusal(201, account("ci")), "no token"],
        [() => {
          throw new TypeError("fetch failed", { cause: new Error("socket hang up") })
        }, `Could not reach ${local}/service-accounts: socket hang up`]
      ]
      for (const [response, text] of responses) {
        const { run } = against({ ...closed, "POST /service-accounts": response })
        const ran = yield* run(["create", "ci", "--json"], { variables: admin })
        assert.strictEqual(ran.code, 1)
        assert.include(documentOf(ran).error, text)
      }
      const { run } = against({
        ...closed,
        "POST /service-accounts": new Refusal(400, {
          detail: "Privileged scope(s) require allow_privileged_scopes=true: evals:write. Set it, or leave them out."
        })
      })
      const ran = yield* run(["create", "ci", "--json"], { variables: admin })
      assert.strictEqual(documentOf(ran).error, "Creating service account ci failed: evals:write is privileged")
      assert.include(documentOf(ran).hint ?? "", "--privileged")
    }))
})

describe("tokens list", () => {
  it.effect("list reads all pages, revoked accounts included, and prints nine keys of each and never a token", () =>
    Effect.gen(function*() {
      const { run, sent } = against({
        ...closed,
        "GET /service-accounts": ({ url }: { readonly url: string }) => {
          const page = Number(new URL(url).searchParams.get("page"))
          return {
            data: [account(`a${page}`, { token: "svc_pat_secret", revoked_at: page === 2 ? 5 : null })],
            meta: { total_pages: 3 }
          }
        }
      })
      const ran = yield* run(["list", "--json"], { variables: admin })
      const { service_accounts: accounts } = documentOf<{ service_accounts: ReadonlyArray<Record<string, unknown>> }>(
        ran
      )
      assert.deepStrictEqual(accounts.map(({ name }) => name), ["a1", "a2", "a3"])
      for (const found of accounts) assert.deepStrictEqual(Object.keys(found), keys)
      assert.notInclude(ran.stdout, "svc_pat_secret")
      assert.deepStrictEqual(sent().map(({ url }) => new URL(url).search), [
        "?page=1&limit=100",
        "?page=2&limit=100",
        "?page=3&limit=100"
      ])
    }))

  it.effect("list reads responses without pages, scopes as objects and missing fields", () =>
    Effect.gen(function*() {
      const { run } = against({
        ...closed,
        "GET /service-accounts": [{ id: "1", name: "old", scopes: [{ raw: "agents:run" }, "config:read"] }]
      })
      const ran = yield* run(["list", "--json"], { variables: admin })
      const [found] = documentOf<{ service_accounts: ReadonlyArray<unknown> }>(ran).service_accounts
      assert.deepStrictEqual(found, {
        id: "1",
        name: "old",
        principal: "sa:old",
        token_prefix: "",
        scopes: ["agents:run", "config:read"],
        created_at: null,
        expires_at: null,
        last_used_at: null,
        revoked_at: null
      })
    }))

  it.effect("list prints a table for people, or one line when it is empty", () =>
    Effect.gen(function*() {
      const some = against({
        ...closed,
        "GET /service-accounts": [account("ci"), account("old", { revoked_at: 5, expires_at: null })]
      })
      const { stderr, stdout } = yield* some.run(["list"], { variables: { ...admin, COLUMNS: "200" } })
      assert.strictEqual(stderr, "Service: http://localhost:7777\n")
      assert.match(stdout, /^Name +Token +Scopes +Expires +Last used +Status\n/)
      assert.match(stdout, /ci +svc_pat_abcdefgh… +agents:run +\d{4}-\d\d-\d\d \d\d:\d\d UTC +- +active/)
      assert.match(stdout, /old +svc_pat_abcdefgh… +agents:run +- +- +revoked/)
      const none = against({ ...closed, "GET /service-accounts": [] })
      const empty = yield* none.run(["list"], { variables: admin })
      assert.strictEqual(empty.code, 0)
      assert.include(empty.stdout, "no service accounts")
    }))
})

describe("tokens revoke", () => {
  const routes = {
    ...closed,
    "GET /service-accounts": { data: [account("other"), account("ci")], meta: { total_pages: 1 } },
    "DELETE /service-accounts/id-ci": new Refusal(204, "")
  }

  it.effect("revoke finds the active account, removes it and prints the time", () =>
    Effect.gen(function*() {
      const { run, sent } = against(routes)
      const ran = yield* run(["revoke", "ci", "--json"], { variables: admin })
      const { revoked } = documentOf<{ revoked: Record<string, unknown> }>(ran)
      assert.deepStrictEqual(Object.keys(revoked), keys)
      assert.isNumber(revoked["revoked_at"])
      assert.include(sent()[0]?.url ?? "", "include_revoked=false")
      assert.strictEqual(sent()[1]?.method, "DELETE")
    }))

  it.effect("revoke asks a person first, and changes nothing when they decline; --yes and scripts are not asked", () =>
    Effect.gen(function*() {
      const declined = against(routes)
      const ran = yield* declined.run(["revoke", "ci"], { variables: admin, terminal: true, replies: [false] })
      assert.strictEqual(ran.code, 0)
      assert.strictEqual(ran.questions.length, 1)
      assert.isFalse(declined.sent().some(({ method }) => method === "DELETE"))
      for (
        const [argv, machine] of [
          [["revoke", "ci", "-y"], { terminal: true }],
          [["revoke", "ci"], {}],
          [["revoke", "ci"], { terminal: true, replies: [true] }]
        ] as const
      ) {
        const { run, sent } = against(routes)
        assert.strictEqual((yield* run(argv, { ...machine, variables: admin })).code, 0)
        assert.isTrue(sent().some(({ method }) => method === "DELETE"))
      }
    }))

  it.effect("revoke fails when no active account has the name", () =>
    Effect.gen(function*() {
      const { run } = against(routes)
      const ran = yield* run(["revoke", "unknown", "--json"], { variables: admin })
      assert.strictEqual(ran.code, 1)
      assert.include(documentOf(ran).error, "No service account named unknown")
    }))
})
