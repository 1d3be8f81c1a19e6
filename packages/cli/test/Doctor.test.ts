// `svc doctor`: what it says of the settings of the project.
import { assert, describe, it } from "@effect/vitest"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { cli, documentOf, place } from "./Cli.ts"
import { alive, fakeService } from "./FakeService.ts"

Tier.oneIn(3)

interface Document {
  readonly ok: boolean
  readonly checks: ReadonlyArray<
    { readonly name: string; readonly state: string; readonly detail: string; readonly hint: string | null }
  >
}

/** The providers that need one setting, by the table of the documentation. */
const documented = Array.from(
  readFileSync(join(import.meta.dirname, "../../../docs/guides/models.md"), "utf8")
    .matchAll(/^\| `([a-z-]+)` +\| `([A-Z_]+)` +\|/gm),
  ([, provider = "", key = ""]) => [provider, key] as const
)

describe("svc doctor", () => {
  it.effect("the key of each provider that needs one is missed, and found in .env", () =>
    Effect.gen(function*() {
      const at = yield* place
      assert.isAbove(documented.length, 20)
      for (const [provider, key] of documented) {
        at.write(".env", `MODEL=${provider}:some-model`)
        const { checks, ok } = documentOf<Document>(yield* cli(["doctor", "--json"], at))
        const missed = checks.find(({ name }) => name === "Settings")
        assert.isFalse(ok)
        assert.deepInclude(missed, { state: "failed", hint: `Set ${key} in .env.` }, provider)
        at.write(".env", `MODEL=${provider}:some-model\n${key}=given`)
        const found = documentOf<Document>(yield* cli(["doctor", "--json"], at)).checks
        assert.deepInclude(found.find(({ name }) => name === "Settings"), { state: "ok", hint: null }, provider)
      }
    }))

  it.effect("the models of judges and of vectors need the keys of their providers too", () =>
    Effect.gen(function*() {
      const at = yield* place
      const settings = Effect.fnUntraced(function*(...lines: ReadonlyArray<string>) {
        at.write(".env", lines.join("\n"))
        const { checks } = documentOf<Document>(yield* cli(["doctor", "--json"], at))
        return checks.find(({ name }) => name === "Settings")
      })
      const model = ["MODEL=demo", "OPENAI_API_KEY="]
      assert.deepInclude(yield* settings(...model, "JUDGE_MODEL=openai:judge"), {
        state: "failed",
        detail: "JUDGE_MODEL is openai:judge, and OPENAI_API_KEY is not set",
        hint: "Set OPENAI_API_KEY in .env."
      })
      assert.deepInclude(yield* settings(...model, "JUDGE_MODEL=demo", "EMBEDDER=google:vectors"), {
        state: "failed",
        detail: "EMBEDDER is google:vectors, and GOOGLE_GENERATIVE_AI_API_KEY is not set"
      })
      assert.deepInclude(yield* settings(...model, "JUDGE_MODEL=demo", "EMBEDDER=none"), {
        state: "ok",
        detail: "MODEL is demo, JUDGE_MODEL is demo, EMBEDDER is none"
      })
    }))

  it.effect("Ctrl-C at the prompt for a credential ends the command, and is no finding", () =>
    Effect.gen(function*() {
      const { http } = fakeService({ "http://localhost:7777": alive({ auth_mode: "security_key" }) })
      const ran = yield* cli(["doctor"], yield* place, { http, terminal: true, replies: ["leave"] })
      assert.strictEqual(ran.code, 1)
      assert.strictEqual(ran.stdout, "")
      assert.include(ran.stderr, "Aborted.")
      assert.notInclude(ran.stderr, "Credential")
    }))

  it.effect("a service that does not respond is a failed check with exit code 1, and what to do", () =>
    Effect.gen(function*() {
      const ran = yield* cli(["doctor", "--json"], yield* place)
      const service = documentOf<Document>(ran).checks.find(({ name }) => name === "Service")
      assert.strictEqual(ran.code, 1)
      assert.strictEqual(service?.state, "failed")
      assert.isNotEmpty(service?.hint)
    }))
})
