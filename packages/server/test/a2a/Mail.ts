// A tool that needs a confirmation.
import * as Tool from "@svc-runtime/engine/tool/Tool"
import { Schema } from "effect"

export const mail = Tool.make({
  name: "send_mail",
  requiresConfirmation: true,
  parameters: Schema.Struct({ to: Schema.String }),
  execute: ({ to }) => `sent to ${to}`
})
