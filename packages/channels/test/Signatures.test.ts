import type { Delivery } from "@svc-runtime/channels/Adapter"
import { ChannelError } from "@svc-runtime/channels/ChannelError"
import { headerOf, hmac, isSame, requireHeader, requireRecent } from "@svc-runtime/channels/Signatures"
import { Redacted } from "effect"
import { assert, describe, it } from "vitest"

const delivery = (headers: Record<string, string>, at = 0): Delivery => ({
  method: "POST",
  url: "https://svc.example/channels/x/events",
  headers,
  body: new Uint8Array(),
  at
})

const refusalOf = (work: () => void): string => {
  try {
    work()
  } catch (error) {
    assert.instanceOf(error, ChannelError)
    assert.strictEqual(error.reason, "forged")
    return error.message
  }
  return "accepted"
}

describe("Signatures", () => {
  it("the signature of a request is that of the documentation of Slack", () => {
    const body = "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V" +
      "&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=" +
      "&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN" +
      "&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c"
    const secret = Redacted.make("8f742231b10e8888abcd99yyyzzz85a5")
    assert.strictEqual(
      hmac({ secret, parts: ["v0:1531420618:", new TextEncoder().encode(body)] }),
      "a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503"
    )
  })

  it("texts of another length are compared as others are", () => {
    assert.isTrue(isSame("secret", "secret"))
    assert.isFalse(isSame("secret", "secre"))
    assert.isFalse(isSame("", "secret"))
  })

  it("a header that is missing, empty or wrong is refused", () => {
    assert.strictEqual(refusalOf(() => headerOf(delivery({}), "x-a")), "The request has no header x-a")
    assert.strictEqual(refusalOf(() => headerOf(delivery({ "x-a": "" }), "x-a")), "The request has no header x-a")
    assert.strictEqual(refusalOf(() => requireHeader(delivery({ "x-a": "1" }), "x-a", "2")), "The header x-a is wrong")
    assert.strictEqual(refusalOf(() => requireHeader(delivery({ "x-a": "2" }), "x-a", "2")), "accepted")
  })

  it("a request is refused five minutes before and after the time at which it was signed", () => {
    const refusal = (seconds: string, at: number) => refusalOf(() => requireRecent(delivery({}, at * 1000), seconds))
    assert.strictEqual(refusal("1000", 1300), "accepted")
    assert.strictEqual(refusal("1000", 700), "accepted")
    assert.strictEqual(refusal("1000", 1301), "The request is too old")
    assert.strictEqual(refusal("1000", 699), "The request is too old")
    for (const seconds of ["", "NaN", "1e3", "-1", "1000.5", " 1000", "9".repeat(13)]) {
      assert.strictEqual(refusal(seconds, 1000), "The time of the request is no number of seconds")
    }
  })
})
