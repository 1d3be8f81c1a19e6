import { assert, describe, it } from "@effect/vitest"
import {
  changesOf,
  configOfCode,
  instructionsOf,
  modelChoices,
  overBase,
  withBase,
  withInstructions,
  withValue
} from "../src/config/config.ts"
import { filled, variablesIn } from "../src/playground/variables.ts"

describe("A config as fields", () => {
  it("A list of instructions stays a list when its text changes, and a text stays a text.", () => {
    assert.strictEqual(instructionsOf({ instructions: ["One", "Two"] }), "One\nTwo")
    assert.deepStrictEqual(withInstructions({ instructions: ["One", "Two"] }, "One\nThree"), {
      instructions: ["One", "Three"]
    })
    assert.deepStrictEqual(withInstructions({ instructions: "One" }, "One\nThree"), { instructions: "One\nThree" })
  })

  it("A field that is emptied is left out of the config, so that it has its default again.", () => {
    assert.deepStrictEqual(withValue({ retries: 2, markdown: true }, "retries", ""), { markdown: true })
    assert.deepStrictEqual(withValue({ model_settings: { seed: 1 } }, "model_settings", {}), {})
  })

  it("A changed setting of the model is one change, also if keys have another order.", () => {
    assert.deepStrictEqual(
      changesOf(
        {
          instructions: "One",
          retries: 1,
          model_settings: { seed: 1, temperature: 0 },
          memory: { tools: true, update: "on" }
        },
        {
          instructions: "Two",
          retries: 1,
          model_settings: { temperature: 1, seed: 1 },
          memory: { update: "on", tools: true }
        }
      ),
      [{ name: "temperature", before: 0, after: 1 }]
    )
  })

  it("A model that the config writes as a text is one choice with the same model of the registry.", () => {
    const registry = [{ name: "gpt-5", type: "model", metadata: { provider: "OpenAI" } }] as const
    assert.deepStrictEqual(modelChoices(registry, "openai:gpt-5").map(({ value }) => value), ["openai:gpt-5"])
    assert.deepStrictEqual(modelChoices(registry, "other").map(({ title }) => title), ["other", "gpt-5 (OpenAI)"])
  })

  it("A component in code becomes a config with the tools that the registry has, and without what is code.", () => {
    const registry = [
      { name: "find", type: "tool" },
      { name: "update_memory", type: "tool", metadata: { is_of_feature: true } },
      { name: "Answer", type: "schema" }
    ] as const
    assert.deepStrictEqual(
      configOfCode({
        id: "shop",
        name: "Shop",
        is_factory: false,
        is_component: false,
        model: { name: "GPT", model: "gpt-5", provider: "OpenAI" },
        model_options: { model_settings: { temperature: 0 } },
        tools: {
          tools: ["find", "update_memory", "secret"].map((name) => ({ name, parameters: {} })),
          tool_call_limit: 3
        },
        sessions: { session_table: "svc_sessions", num_history_runs: 5 },
        system_message: { instructions: ["Sell."], markdown: true },
        response_settings: { retries: 2, output_schema_name: "Answer" },
        memory: { enable_agentic_memory: true }
      }, registry),
      {
        instructions: ["Sell."],
        markdown: true,
        model: { id: "gpt-5", provider: "OpenAI" },
        model_settings: { temperature: 0 },
        tools: ["find"],
        tool_call_limit: 3,
        num_history_runs: 5,
        retries: 2,
        output_schema: "Answer",
        memory: true
      }
    )
  })

  it("A config that is based on code is shown whole, and saved as what differs, with empty values that are meant.", () => {
    const base = { base: "shop", instructions: "Sell.", tools: ["find"], markdown: true, retries: 2 }
    const shown = withBase({ base: "shop", instructions: "Sell lamps.", retries: null }, base)
    assert.deepStrictEqual(shown, { base: "shop", instructions: "Sell lamps.", tools: ["find"], markdown: true })
    assert.deepStrictEqual(overBase(shown, base), { base: "shop", instructions: "Sell lamps.", retries: null })
    assert.deepStrictEqual(overBase({ base: "shop", seed: 1 }, base), {
      base: "shop",
      seed: 1,
      instructions: "",
      tools: [],
      markdown: false,
      retries: null
    })
    assert.deepStrictEqual(overBase(base, base), { base: "shop" })
  })

  it("A variable of a message is filled, and braces without a name are text.", () => {
    assert.deepStrictEqual(variablesIn("{{city}} and {{ day }}, {{city}}, {{}} {x}"), ["city", "day"])
    assert.strictEqual(filled("{{city}} on {{ day }} {{}}", { city: "Rome", day: "$&" }), "Rome on $& {{}}")
  })
})
