// `svc explain`: the codes and texts of errors, without a service.
import { assert, describe, it } from "@effect/vitest"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { cli, documentOf, place } from "./Cli.ts"

Tier.oneIn(2)

const explained = Effect.fnUntraced(function*(...argv: ReadonlyArray<string>) {
  const ran = yield* cli(["explain", ...argv, "--json"], yield* place)
  return ran.code === 0 ? documentOf<ReadonlyArray<{ readonly code: string }>>(ran).map(({ code }) => code) : ran.stdout
})

describe("svc explain", () => {
  it.effect("a code has its cause, what to do and a page, and no service is asked", () =>
    Effect.gen(function*() {
      const ran = yield* cli(["explain", "TOO_MANY_REQUESTS"], yield* place)
      assert.strictEqual(ran.code, 0)
      assert.match(
        ran.stdout,
        /^TOO_MANY_REQUESTS\nCause: +A limit .*\nWhat to do: +Wait .*\nPage: +docs\/operate\/limits\.md\n$/
      )
      assert.strictEqual(ran.stderr, "")
    }))

  it.effect("a code is found in small letters too, as clients of OpenAI get it", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* explained("too_many_requests"), ["TOO_MANY_REQUESTS"])
      // a code of OAuth and one of A2A differ only in this
      assert.deepStrictEqual(yield* explained("invalid_request"), ["invalid_request"])
    }))

  it.effect.each<readonly [string, string]>([
    ["The service stops: Something else listens on 127.0.0.1:7777. Stop it, or set PORT to a free one.", "EADDRINUSE"],
    ["OS_SECURITY_KEY is set and empty. Give it a value, or unset it", "InvalidConfig"],
    ["Agent has no id. Give it one: it is its path in urls", "Mistake"],
    ["Run not found: '17'. Check its session_id, and that it is a run of this component and user.", "NOT_FOUND"],
    ["The quota at OpenAI is used up (429): You exceeded it", "model_provider_error"],
    ["Agent 'a': there is no option 'instuctions'. Did you mean 'instructions'?", "Mistake"],
    ["Agent 'a': model must be a text, and is a promise. Write await before it", "Mistake"],
    ["ERROR Team 'x' has no members. Give it at least one agent or team", "Mistake"],
    ["Knowledge 'k': chunkOverlap must be smaller than chunkSize, not 900", "Mistake"],
    ["Memory not found", "NOT_FOUND"],
    ["Not Found", "NOT_FOUND"],
    ["429", "TOO_MANY_REQUESTS"],
    ["HTTP 413", "PAYLOAD_TOO_LARGE"],
    ["Agent not found: 'shopp'. The service has shop, desk", "NOT_FOUND"],
    ["body.message: Field required", "VALIDATION_ERROR"],
    ["This user has started 20 of 20 runs within a minute. Try again in 60 seconds.", "TOO_MANY_REQUESTS"],
    [
      "{\"message\":\"The service stops: \\\"x\\\" must be a text, and is y\",\"error_code\":\"DatabaseUnreachable\"}",
      "DatabaseUnreachable"
    ],
    ["Step 'remind': sleep() must be a length of time", "Mistake"],
    ["agent shop has no members, give it at least one team, agent or two", "Mistake"]
  ])("the text of an error leads to its code: %s", ([text, code]) =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* explained(text), [code])
    }))

  it.effect.each<readonly [string, string]>([
    ["No running service found (tried: http://127.0.0.1:7777, http://localhost:80)", "reference/cli.md"],
    ["Service account claude already exists", "reference/cli.md"],
    ["MCP is not enabled on http://x:1. Set MCP_ENABLED=true where it runs", "reference/cli.md"],
    ["Step 'a' needs other values of a person: the name is missing", "guides/workflows.md"],
    ["The model openai:gpt-5 needs the package @ai-sdk/openai, which is not installed.", "guides/models.md"],
    ["Knowledge 'k': chunkOverlap must be smaller than chunkSize, not 900", "guides/knowledge.md"],
    ["Tool 't': its parameters must be a schema, and it is a map of fields", "guides/tools.md"],
    ["AUTHORIZATION is on, but there is no key to check tokens with.", "operate/authorization.md"],
    ["Invalid cron expression: 'x'", "guides/schedules.md"]
  ])(
    "the text of an error leads to the page about its part, also if it has no code: %s",
    ([text, page]) =>
      Effect.gen(function*() {
        const ran = yield* cli(["explain", text, "--json"], yield* place)
        assert.strictEqual(ran.code, 0, ran.stdout)
        assert.deepStrictEqual(documentOf<ReadonlyArray<{ readonly page: string }>>(ran).map(({ page }) => page), [
          page
        ])
      })
  )

  it.effect("a text that is no error of the service has no explanation", () =>
    Effect.gen(function*() {
      for (
        const text of [
          "How many bicycles does the shop have, and is the red one there?",
          "the colour of the sky"
        ]
      ) {
        assert.strictEqual((yield* cli(["explain", text], yield* place)).code, 1, text)
      }
    }))

  it.effect("an unknown code is an error that says how to list all, and without a code all are listed", () =>
    Effect.gen(function*() {
      const ran = yield* cli(["explain", "NO_SUCH_CODE", "--json"], yield* place)
      assert.strictEqual(ran.code, 1)
      assert.deepStrictEqual(documentOf(ran), {
        error: "No error has this code or text: NO_SUCH_CODE",
        hint: "svc explain lists all codes."
      })
      assert.include(yield* explained(), "VALIDATION_ERROR")
    }))
})
