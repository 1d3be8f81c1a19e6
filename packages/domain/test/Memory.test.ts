import { assert, describe, it } from "@effect/vitest"
import * as Memory from "../src/Memory.ts"

const memory = (text: string, fields: Partial<Memory.Memory> = {}): Memory.Memory => ({
  memory_id: Memory.Id.make(text),
  memory: text,
  topics: [],
  user_id: null,
  agent_id: null,
  team_id: null,
  run_id: null,
  session_id: null,
  created_at: 1,
  updated_at: 1_700_000_000,
  ...fields
})

const at = 1_700_000_000

const ranked = (memories: ReadonlyArray<Memory.Memory>, text: string) =>
  Memory.rank(memories, text, at).map(({ memory }) => memory)

describe("Memory.rank", () => {
  it("memories with words of the text come first, rare words before frequent ones", () => {
    const memories = [memory("The user likes tea"), memory("The user owns a violin"), memory("The user likes cake")]
    assert.strictEqual(ranked(memories, "Which VIOLIN does the user have?")[0], "The user owns a violin")
  })

  it("topics count as words of a memory", () => {
    assert.strictEqual(ranked([memory("A"), memory("B", { topics: ["music"] })], "music?")[0], "B")
  })

  it("newer memories come first if the text fits none", () => {
    const memories = [memory("old", { updated_at: 1 }), memory("new"), memory("older", { updated_at: 0 })]
    assert.deepStrictEqual(ranked(memories, ""), ["new", "old", "older"])
    assert.deepStrictEqual(ranked([], "nothing"), [])
  })

  it("a near meaning counts more than a shared word that is in many texts", () => {
    const [words, meaning, neither] = [memory("Some tea"), memory("Owns a violin"), memory("Has a dog")]
    const similarities = new Map([[meaning.memory_id, 0.6], [words.memory_id, 0.1]])
    const order = Memory.rank([neither, words, meaning], "Is there some music?", at, similarities)
    assert.deepStrictEqual(order, [meaning, words, neither])
    assert.deepStrictEqual(Memory.rank([neither, words, meaning], "Is there some music?", at)[0], words)
  })
})

describe("Memory.lastChanges", () => {
  it("the last change of each memory is kept", () => {
    const memory_id = Memory.Id.make("m")
    const removal = { _tag: "Remove", memory_id } as const
    assert.deepStrictEqual(
      Memory.lastChanges([{ _tag: "Update", memory_id, memory: "x", topics: [] }, removal]),
      [removal]
    )
  })
})

describe("Memory.merged", () => {
  const merged = (memories: ReadonlyArray<Memory.Memory>) =>
    Memory.merged(memories, { memory_id: Memory.Id.make("merged"), memory: "all", user_id: null }, at)

  it("the result has the topics of all memories, each once", () => {
    const { topics } = merged([
      memory("A", { topics: ["b", "a"] }),
      memory("B", { topics: null }),
      memory("C", {
        topics: ["a", "c"]
      })
    ])
    assert.deepStrictEqual(topics, ["b", "a", "c"])
    assert.isNull(merged([memory("A")]).topics)
  })

  it("the result has at most as many topics as a memory may have: those of most memories, then those of the newest", () => {
    const topics = (name: string) => Array.from({ length: 60 }, (_, place) => `${name}${place}`)
    const older = memory("older", { topics: [...topics("old"), "shared"], updated_at: 1 })
    const newer = memory("newer", { topics: [...topics("new"), "shared"], updated_at: 2 })
    const kept = merged([older, newer]).topics
    assert.deepStrictEqual(kept, [...topics("old").slice(0, 39), "shared", ...topics("new")])
  })
})
