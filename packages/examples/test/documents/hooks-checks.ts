// The block of docs/guides/hooks.md about checks.
// #region
import { Hook } from "@svc-runtime/server"

const onTopic: Hook.Hook = {
  name: "on-topic",
  run: ({ input }) => {
    if (String(input.input_content).includes("lottery")) {
      throw new Hook.CheckFailed({ reason: "off_topic", message: "Questions about the lottery are not answered" })
    }
  }
}
// #endregion

export { onTopic }
