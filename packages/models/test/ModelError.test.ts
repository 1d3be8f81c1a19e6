import { APICallError, JSONParseError, UnsupportedFunctionalityError } from "@ai-sdk/provider"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Redacted } from "effect"
import { AiError } from "effect/ai"
import * as ModelError from "../src/ModelError.ts"
import { parseRetryAfter } from "../src/ModelError.ts"

const source: ModelError.Source = {
  provider: "OpenAI",
  model: "gpt-5",
  method: "streamText",
  secrets: [Redacted.make("the-known-key")]
}

const from = (cause: unknown) => ModelError.fromUnknown(cause, source, 0)

const apiError = (
  statusCode: number,
  message: string,
  rest: Partial<ConstructorParameters<typeof APICallError>[0]> = {}
) =>
  new APICallError({
    message,
    statusCode,
    url: "https://user:hunter22@host/v1/chat",
    requestBodyValues: { messages: ["the private prompt"] },
    responseHeaders: {},
    responseBody: "{}",
    ...rest
  })

describe("ModelError", () => {
  it("an error that is a text in the body is shown", () => {
    const error = from(apiError(400, "Bad Request", { responseBody: "{\"error\":\"No such task\"}" }))
    assert.strictEqual(ModelError.describe(error).message, "OpenAI rejected the request (400): No such task")
  })

  it.each([
    ["server_error", "InternalProviderError", true, "OpenAI failed (500): It broke"],
    ["rate_limit_exceeded", "RateLimitError", true, "OpenAI is limiting the rate of requests (429): It broke"],
    ["invalid_prompt", "InternalProviderError", false, "OpenAI failed: It broke"]
  ])("a failed answer with status 200 is no request that the provider rejects: %s", (code, tag, retryable, message) => {
    const answer = { id: "resp_1", status: "failed", error: { code, message: "It broke" } }
    for (const responseBody of [JSON.stringify(answer), answer as unknown as string]) {
      // clients of the Responses format give it the status 400
      const error = from(apiError(400, "It broke", { responseBody }))
      assert.strictEqual(error.reason._tag, tag)
      assert.strictEqual(ModelError.isRetryable(error), retryable)
      assert.strictEqual(ModelError.describe(error).message, message)
    }
  })

  it.each(["UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT"])(
    "a request that fetch has given up after its own time limit is not sent again: %s",
    (code) => {
      const cause = new TypeError("fetch failed", { cause: Object.assign(new Error("Too late"), { code }) })
      const error = from(cause)
      assert.strictEqual(ModelError.describe(error).message, "OpenAI did not answer with gpt-5 in time: Too late")
      assert.isFalse(ModelError.isRetryable(error))
      assert.isTrue(ModelError.isTimeOut(error))
    }
  )

  it.each([
    [401, "Incorrect API key", "AuthenticationError", "model_authentication_error", false],
    [403, "Not allowed", "AuthenticationError", "model_authentication_error", false],
    [
      400,
      "API key not valid. Please pass a valid API key.",
      "AuthenticationError",
      "model_authentication_error",
      false
    ],
    [400, "Unknown parameter", "InvalidRequestError", "model_provider_error", false],
    [404, "No such model", "InvalidRequestError", "model_provider_error", false],
    [400, "maximum context length is 128000 tokens", "InvalidRequestError", "model_provider_error", false],
    [400, "content_policy_violation", "ContentPolicyError", "model_provider_error", false],
    [402, "Pay first", "QuotaExhaustedError", "model_provider_error", false],
    [429, "You exceeded your current quota", "QuotaExhaustedError", "model_provider_error", false],
    [429, "Slow down", "RateLimitError", "model_provider_error", true],
    [408, "Timeout", "InternalProviderError", "model_provider_error", true],
    [409, "Conflict", "InternalProviderError", "model_provider_error", true],
    [500, "Oops", "InternalProviderError", "model_provider_error", true],
    [503, "Oops", "InternalProviderError", "model_provider_error", true],
    [529, "Overloaded", "InternalProviderError", "model_provider_error", true]
  ])("a status %i with '%s' is the error %s", (status, message, tag, type, retryable) => {
    const error = from(apiError(status, message))
    const described = ModelError.describe(error)
    assert.strictEqual(error.reason._tag, tag)
    assert.strictEqual(described.error_type, type)
    assert.strictEqual(ModelError.isRetryable(error), retryable)
    assert.match(described.message, /OpenAI|gpt-5/)
    assert.include(described.message, String(status))
    assert.notInclude(described.message, "\n")
  })

  it("an error says that the context window was too small", () => {
    const error = from(apiError(400, "too long", { data: { error: { code: "context_length_exceeded" } } }))
    assert.strictEqual(
      ModelError.describe(error).message,
      "The input is longer than the context window of gpt-5 (400): too long"
    )
  })

  it("an error keeps how long the provider asks to wait", () => {
    const error = from(apiError(429, "Slow down", { responseHeaders: { "retry-after": "7" } }))
    assert.deepStrictEqual(error.retryAfter, Duration.seconds(7))
    assert.strictEqual(ModelError.detailsOf(error)?.retry_after_millis, 7000)
    assert.match(ModelError.describe(error).message, /\(429\): Slow down\. Retry after 7s\.$/)
  })

  it("an error keeps nothing of the request and no key in any of its properties", () => {
    const message = "Bad key the-known-key, also sk-abcdefgh1234, at https://user:hunter22@host/v1?key=abc123"
    const error = from(apiError(401, message, { cause: new Error("the-known-key") }))
    const everything = [JSON.stringify(error), String(error), error.stack, ModelError.describe(error).message].join(
      "\n"
    )
    for (const secret of ["the-known-key", "sk-abcdefgh1234", "hunter22", "abc123", "the private prompt"]) {
      assert.notInclude(everything, secret)
    }
  })

  it("a refused connection is a network error that may be repeated", () => {
    const cause = Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:1"), { code: "ECONNREFUSED" })
    const error = from(new TypeError("fetch failed", { cause }))
    assert.strictEqual(error.reason._tag, "NetworkError")
    assert.isTrue(ModelError.isRetryable(error))
    assert.strictEqual(ModelError.describe(error).message, "OpenAI cannot be reached: connect ECONNREFUSED 127.0.0.1:1")
  })

  it("a connection that breaks while the answer is read is a network error", () => {
    const cause = new TypeError("terminated", { cause: Object.assign(new Error("closed"), { code: "UND_ERR_SOCKET" }) })
    const error = from(apiError(200, "Failed to process successful response", { cause, isRetryable: true }))
    assert.strictEqual(error.reason._tag, "NetworkError")
    assert.include(ModelError.describe(error).message, "broke off")
  })

  it("an answer that is no JSON is named, not quoted", () => {
    const error = from(new JSONParseError({ text: "<html>".repeat(500), cause: new Error("no") }))
    assert.strictEqual(error.reason._tag, "InvalidResponseError")
    assert.strictEqual(
      ModelError.describe(error).message,
      "OpenAI sent an answer that cannot be read (malformed JSON)"
    )
  })

  it("content that the provider does not take is an invalid request", () => {
    const error = from(new UnsupportedFunctionalityError({ functionality: "audio file parts with URLs" }))
    assert.strictEqual(error.reason._tag, "InvalidRequestError")
    assert.include(ModelError.describe(error).message, "audio file parts with URLs")
  })

  it.each([
    ["file part media type application/msword", "application/msword", "knowledge"],
    ["media type: application/vnd.oasis.opendocument.text", "application/vnd.oasis.opendocument.text", "knowledge"],
    ["audio content parts with media type audio/flac", "audio/flac", "another format"]
  ])("a file of a type that the provider does not take is named with what to send: %s", (functionality, ...words) => {
    const { message } = ModelError.describe(from(new UnsupportedFunctionalityError({ functionality })))
    for (const word of words) assert.include(message, word)
    assert.notInclude(message, "functionality")
  })

  it.each([
    [{ message: "The server had an error", type: "server_error" }, "InternalProviderError", true],
    [{ message: "Overloaded", type: "overloaded_error", statusCode: 529 }, "InternalProviderError", true],
    [{ message: "Slow down", code: "rate_limit_exceeded" }, "RateLimitError", true],
    [{ error: { message: "Wrong", code: 401 } }, "AuthenticationError", false],
    ["something went wrong", "InternalProviderError", false],
    [undefined, "InternalProviderError", false],
    [new TypeError("x is not a function"), "InternalProviderError", false]
  ])("an error inside a stream is understood: %o", (cause, tag, retryable) => {
    const error = from(cause)
    assert.strictEqual(error.reason._tag, tag)
    assert.strictEqual(ModelError.isRetryable(error), retryable)
  })

  it("an error of other code is described on one line of limited length", () => {
    const reason = new AiError.InvalidRequestError({ description: `line\nline sk-abcdefgh1234 ${"long ".repeat(300)}` })
    const { error_type, message } = ModelError.describe(AiError.make({ module: "M", method: "m", reason }))
    assert.strictEqual(error_type, "model_provider_error")
    assert.isAtMost(message.length, 600)
    assert.notMatch(message, /\n|abcdefgh/)
  })
})

describe("RetryAfter", () => {
  const now = Date.UTC(2025, 0, 1)
  it.each([
    [{ "retry-after-ms": "250" }, 250],
    [{ "retry-after-ms": "250", "retry-after": "9" }, 250],
    [{ "retry-after": "2" }, 2000],
    [{ "retry-after": "0.5" }, 500],
    [{ "retry-after": "Wed, 01 Jan 2025 00:00:20 GMT" }, 20_000],
    [{ "retry-after": "Tue, 31 Dec 2024 00:00:00 GMT" }, 0],
    [{ "retry-after": "-3" }, 0],
    [{ "retry-after": "soon" }, undefined],
    [{ "retry-after": "" }, undefined],
    [{}, undefined]
  ])("the header RetryAfter is read: %o", (headers, millis) => {
    assert.strictEqual(parseRetryAfter(headers as Record<string, string>, now), millis)
  })
})
