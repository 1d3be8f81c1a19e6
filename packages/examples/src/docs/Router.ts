import { Router, Step } from "@svc-runtime/server"

export const reply = Router.make({
  name: "reply",
  choices: [
    Step.make({ name: "refund", run: ({ input }) => `Refund: ${String(input)}` }),
    Step.make({ name: "answer", run: ({ input }) => `Answer: ${String(input)}` })
  ],
  selector: ({ input }) => String(input).includes("money") ? "refund" : "answer"
})

export const chosen = Router.make({
  name: "chosen",
  choices: [
    Step.make({ name: "email", run: () => "By email" }),
    Step.make({ name: "letter", run: () => "By letter" })
  ],
  selection: { message: "How is it sent?" }
})
