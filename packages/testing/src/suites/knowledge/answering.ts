import { assert, type Vitest } from "@effect/vitest"
import type { ChunkStore } from "@svc/runtime/knowledge/ChunkStore"
import type { ContentStore } from "@svc/runtime/knowledge/ContentStore"
import { Effect } from "effect"
import * as QuestionSet from "../../QuestionSet.ts"
import { newId } from "../Samples.ts"

export const answering = (it: Vitest.MethodsNonLive<ChunkStore | ContentStore>) => {
  it.effect("a hybrid search answers as many of fifty questions as the better one of its two rankings", () =>
    Effect.gen(function*() {
      const { hybrid, keyword, vector } = yield* QuestionSet.recalls(newId("questions"))
      assert.isAtLeast(hybrid, Math.max(keyword, vector))
      assert.isAtLeast(hybrid, 0.9)
    }))
}
