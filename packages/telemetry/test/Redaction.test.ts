import { assert, describe, it } from "@effect/vitest"
import { assertLinear } from "@svc-runtime/test-support/Growth"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Redacted } from "effect"
import { redact } from "../src/Redaction.ts"

Tier.oneIn(2)

describe("Redaction", () => {
  it("the given values are removed, also when they are part of a URL", () => {
    const secrets = [Redacted.make("p@ss word/1")]
    assert.strictEqual(redact("key p@ss word/1 refused", secrets), "key [redacted] refused")
    assert.notInclude(redact("GET /?q=p%40ss%20word%2F1", secrets), "p%40ss")
  })

  it.each([
    ["Incorrect API key provided: sk-proj-abcDEF123456.", "abcDEF"],
    ["Incorrect API key provided: sk-ab***********wxyz.", "wxyz"],
    ["Incorrect API key provided: my-secre*******-123.", "secre"],
    ["bad header Authorization: Bearer abc.def-ghi_jkl", "abc.def"],
    ["bad header {\"authorization\":\"Bearer abcdefghijkl\"}", "abcdef"],
    ["x-api-key: 0123456789abcdef is unknown", "0123456789"],
    ["invalid api_key=0123456789abcdef", "0123456789"],
    ["API key AIzaSyA1234567890abcdefg not valid", "AIzaSy"],
    ["token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl expired", "eyJhbG"],
    ["cannot connect to https://user:hunter22@host/v1", "hunter22"],
    ["GET https://host/v1/models?key=abcdef&alt=sse failed", "abcdef"],
    ["{\"messages\":\"{\\\"api_key\\\":\\\"abcdefghijkl\\\"}\"}", "abcdef"],
    ["{\"client_secret\":\"abcdefghijkl\"}", "abcdef"],
    ["client_secret=abcdefghijkl", "abcdef"],
    ["password: hunter2222", "hunter"],
    ["Authorization: Token abcdefghijkl", "abcdef"],
    ["AccountName=a;AccountKey=abcdefghijkl==;EndpointSuffix=b", "abcdef"],
    ["SharedAccessSignature=sv=2024-01-01&sig=abcdefghijkl%3D", "abcdef"],
    ["the key AKIAIOSFODNN7EXAMPLE is unknown", "IOSFOD"],
    ["the token ghp_abcdefghijklmnopqrst is unknown", "abcdef"],
    ["the token github_pat_abcdefghijklmnopqrst is unknown", "abcdef"],
    ["the token svc_pat_abcdefghijklmnopqrst is unknown", "abcdef"],
    ["the token svc_oat_abcdefghijklmnopqrst is unknown", "abcdef"],
    ["{\"text\":\"first\\nsvc_ort_abcdefghijklmnopqrst\"}", "abcdef"],
    ["{\"text\":\"first\\nsk-live-abcdefghijkl\"}", "abcdef"],
    ["{\"text\":\"first\\tBearer abcdefghijkl\"}", "abcdef"],
    ["{\"text\":\"first\\npassword=abcdefghijkl\"}", "abcdef"],
    ["{\"text\":\"first\\reyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl\"}", "eyJhbG"],
    ["{\"text\":\"first\\nAKIAIOSFODNN7EXAMPLE\"}", "IOSFOD"],
    ["{\"text\":\"first\\nghp_abcdefghijklmnopqrst\"}", "abcdef"],
    ["signed with whsec_abcdefgh+ijk/lmnopqrst==.", "lmnop"],
    ["grant_type=refresh_token&refresh_token=abcdefghijkl", "abcdef"],
    ["{\"refreshToken\":\"abcdefghijkl\"}", "abcdef"],
    ["X-Auth-Token: abcdefghijkl", "abcdef"],
    ["retry with token=abcdefghijkl&page=2", "abcdef"],
    ["{\"body\":\"{\\\"token\\\":\\\"abcdefghijkl\\\"}\"}", "abcdef"],
    ["SLACK_TOKEN=abcdefghijkl", "abcdef"]
  ])("text that looks like a credential is removed: %s", (text, secret) => {
    assert.notInclude(redact(text), secret)
    assert.include(redact(text), "[redacted]")
  })

  it("ordinary words are left alone", () => {
    const text = "The model gpt-5 does not exist. See https://host/docs#errors for task-specific help: 2 * 3 ** 4."
    assert.strictEqual(redact(text), text)
  })

  it.each([
    "{\"tokens\": 15, \"token_count\": 15000, \"max_token\":123456789}",
    "token=123456789 of 200000000",
    "{\"token\":\"Hello\",\"logprob\":-0.1}",
    "SyntaxError: Unexpected token: identifier",
    "the token: expired yesterday",
    "next_page_token=abcdefghijkl",
    "token_type=bearer, the token has the prefix svc_pat_, and is shown as svc_pat_12345678"
  ])("text about tokens that has no credential is left alone: %s", (text) => {
    assert.strictEqual(redact(text), text)
  })

  it("a long text is cut after its last whole word within the limit", () => {
    const text = redact(`${"word ".repeat(1000)}sk-proj-abcDEF123456`)
    assert.isBelow(text.length, 4100)
    assert.isTrue(text.endsWith("word…"))
    assert.strictEqual(redact("x".repeat(5000)), "[redacted]…")
  })

  it("half of a credential that the cut leaves is not shown", () => {
    for (let length = 4080; length < 4100; length++) {
      assert.notInclude(redact(`${"a ".repeat(length / 2)}sk-proj-abcDEF123456`), "sk-pro")
    }
  })

  const pieces = [
    "a",
    "a.",
    "a-",
    "*",
    "**a",
    "***",
    "eyJ-",
    "eyJaaaaaa.",
    "a://",
    "https://a",
    "sk-",
    "?",
    "@",
    " ",
    "\n",
    "key=",
    "secret",
    "sig=\\",
    "password: \\\"",
    "authorization: token ",
    "AKIA",
    "ghp_",
    "svc_pat_",
    "whsec_",
    "token=",
    "token=1",
    "_token\\\""
  ]

  it.each(Tier.some(pieces, 3))("redaction takes time linear in the number of %j", (piece) => {
    assertLinear(20_000, (size) => redact(piece.repeat(size), [Redacted.make("p@ss word/1")]))
  })
})
