import { assert, describe, it } from "@effect/vitest"
import type { Reply } from "../../../src/a2a/client/Replies.ts"
import * as TaskProgress from "../../../src/a2a/client/TaskProgress.ts"
import type { State } from "../../../src/a2a/Model.ts"

const ids = { taskId: "t", contextId: "c" }

const artifact = (text: string, append: boolean, artifactId = "answer"): Reply => ({
  _tag: "Artifact",
  ...ids,
  artifact: { artifactId, parts: [{ text }] },
  append
})

const task = (text: string | undefined, state: State): Reply => ({
  _tag: "Task",
  ...ids,
  status: { state, message: undefined },
  artifacts: text === undefined ? [] : [{ artifactId: "answer", parts: [{ text }] }]
})

const status = (state: State, text: string): Reply => ({
  _tag: "Status",
  ...ids,
  status: { state, message: { taskId: "t", contextId: "c", parts: [{ text }] } }
})

const shown = (...replies: ReadonlyArray<Reply>) => {
  const progress = TaskProgress.make("t")
  return [...replies.map(progress.push), progress.rest()]
}

describe("the progress of a remote task", () => {
  it("the progress shows what each change adds", () => {
    assert.deepStrictEqual(shown(artifact("Hel", false), artifact("lo", true), artifact(".", true)), [
      "Hel",
      "lo",
      ".",
      ""
    ])
  })

  it("the progress shows after a new connection only what was not shown before", () => {
    assert.deepStrictEqual(shown(artifact("Hel", false), task("Hello", "TASK_STATE_WORKING"), artifact(".", true)), [
      "Hel",
      "lo",
      ".",
      ""
    ])
  })

  it("the progress shows several artifacts one below the other", () => {
    assert.deepStrictEqual(shown(artifact("a", false, "one"), artifact("b", false, "two")).join(""), "a\n\nb")
  })

  it("the progress shows an answer that began again at its end, because what was shown cannot be taken back", () => {
    assert.deepStrictEqual(shown(artifact("Wrong", false), artifact("Ri", false), artifact("ght", true)), [
      "Wrong",
      "",
      "",
      "\n\nRight"
    ])
  })

  it("the progress takes the answer from the last status when there are no artifacts", () => {
    assert.deepStrictEqual(shown(status("TASK_STATE_COMPLETED", "Done.")), ["", "Done."])
  })

  it("the progress refuses what is about another task", () => {
    const progress = TaskProgress.make("other")
    assert.isUndefined(progress.push(artifact("a", false)))
    assert.isUndefined(progress.push({ _tag: "Message", message: { taskId: "t", contextId: "c", parts: [] } }))
    assert.strictEqual(progress.rest(), "")
  })
})
