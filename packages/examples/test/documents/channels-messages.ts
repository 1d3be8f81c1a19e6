// #region
import { Tool } from "@svc-runtime/server"
import { message } from "@svc-runtime/server/channels"
import { z } from "zod"

const remind = Tool.make({
  name: "remind",
  parameters: z.object({ text: z.string() }),
  effects: "idempotent",
  execute: async ({ text }, { effectId, enqueue }) => {
    await enqueue(message, { text, key: effectId })
    return "It will be written."
  }
})
// #endregion

export { remind }
