import { assert, type Vitest } from "@effect/vitest"
import * as QuestionSet from "@svc-runtime/test-support/QuestionSet"
import { newId } from "@svc-runtime/test-support/suites/Samples"
import { Effect } from "effect"
import type { ChunkStore } from "../ChunkStore.ts"
import type { ContentStore } from "../ContentStore.ts"

export const answering = (it: Vitest.MethodsNonLive<ChunkStore | ContentStore>) => {
  it.effect("a hybrid search answers as many of fifty questions as the better one of its two rankings", () =>
    Effect.gen(function*() {
      const { hybrid, keyword, vector } = yield* QuestionSet.recalls(newId("questions"))
      assert.isAtLeast(hybrid, Math.max(keyword, vector))
      assert.isAtLeast(hybrid, 0.9)
    }))
}
