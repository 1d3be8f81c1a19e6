// Texts of people and of agents in the form of Slack.
import { assert, describe, it } from "@effect/vitest"
import * as Growth from "@svc-runtime/test-support/Growth"
import * as SlackText from "../../src/slack/SlackText.ts"

describe("texts in Slack", () => {
  it("a text is read without the mention of the agent, and without the spaces around it", () => {
    assert.strictEqual(SlackText.received("Hi \t<@U1|desk> \t there", "U1"), "Hi there")
    assert.strictEqual(SlackText.received("<@U1>  Hi <@U2>", "U1"), "Hi <@U2>")
    assert.strictEqual(SlackText.received("<@U1> <@U1|desk> hi", "U1"), "hi")
    assert.strictEqual(SlackText.received("a  b", "U1"), "a  b")
  })

  it("marks stand next to the words of each line", () => {
    assert.strictEqual(SlackText.render("**a b** c"), "*a b* c")
    assert.strictEqual(SlackText.form.strong(" a \n\n b", { before: "", after: "" }), " *a* \n\n *b*")
  })

  it("long runs of spaces and of broken mentions take time with their length only", () => {
    Growth.assertLinear(4000, (size) => void SlackText.received(`a${" ".repeat(size)}b`, "U1"))
    Growth.assertLinear(4000, (size) => void SlackText.received("<@U1|".repeat(size / 5), "U1"))
    Growth.assertLinear(4000, (size) => void SlackText.form.strong(`a${" ".repeat(size)}b`, { before: "", after: "" }))
  })
})
