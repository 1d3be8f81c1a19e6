import { assert, it } from "@effect/vitest"
import { ValueTooLarge } from "@svc-runtime/engine/limits/ByteLimits"
import { Schema } from "effect"
import { HookBroken } from "../../src/agent/define/Hook.ts"
import * as HookFailure from "../../src/agent/execute/hooks/HookFailure.ts"
import { RunLimitReached } from "../../src/agent/execute/RunLimits.ts"

const decode = Schema.decodeUnknownSync(HookFailure.StoredFailure)

it.each<HookFailure.HookFailure>([
  new HookFailure.HookRejected({ stage: "beforeTool", reason: "off_topic", message: "No" }),
  new HookBroken({ hook: "audit", cause: new Error("It threw") }),
  new RunLimitReached({ message: "The run has reached its time limit of 1s (runTimeout)" }),
  new ValueTooLarge({ what: "The answer", limit: 9, setting: "OUTPUT_MAX_BYTES" }),
  new ValueTooLarge({ what: "The state", limit: 9, unit: "keys" })
])("a failure of a hook has the same tag and message after a crash: $_tag", (failure) => {
  const restored = HookFailure.restored(decode(JSON.parse(JSON.stringify(HookFailure.stored(failure)))))
  assert.deepStrictEqual([restored._tag, restored.message], [failure._tag, failure.message])
})
