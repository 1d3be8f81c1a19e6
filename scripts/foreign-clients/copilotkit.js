// A page with CopilotKit: a chat with one component of the service, and the hook that the address names.
import {
  CopilotChat,
  CopilotKitProvider,
  useFrontendTool,
  useHumanInTheLoop,
  useInterrupt
} from "@copilotkit/react-core/v2"
import { createElement as h, useState } from "react"
import { createRoot } from "react-dom/client"
import { z } from "zod"

const address = new URL(location.href).searchParams
const agentId = address.get("agent")
const answer = JSON.parse(address.get("answer") ?? "null")

const button = (name, onClick) => h("button", { onClick, "data-testid": name }, name)

const useInterrupts = () =>
  useInterrupt({
    agentId,
    renderInChat: false,
    render: ({ cancel, interrupt, resolve }) =>
      h("div", {}, interrupt.message, button("resolve", () => resolve(answer)), button("cancel", () => cancel()))
  })

const useHuman = () =>
  useHumanInTheLoop({
    name: "publish",
    description: "Asks about a publication",
    parameters: z.object({ title: z.string() }),
    render: ({ args, respond, status }) =>
      h("div", {}, `publish ${args.title} ${status}`, respond && button("respond", () => respond(answer)))
  })

const usePaint = () => {
  const [color, set] = useState("white")
  useFrontendTool({
    name: "paint",
    description: "Paints the page",
    parameters: z.object({ color: z.string() }),
    handler: async ({ color }) => {
      set(color)
      return `painted ${color}`
    }
  })
  return h("p", { "data-testid": "color" }, color)
}

const hooks = { interrupt: [useInterrupts], human: [useHuman], all: [useInterrupts, usePaint] }

const Page = () => {
  const shown = hooks[address.get("hook")].map((use) => use() ?? null)
  return h("main", {}, ...shown, h(CopilotChat, { agentId, threadId: address.get("thread") }))
}

createRoot(document.getElementById("root")).render(
  h(CopilotKitProvider, { runtimeUrl: "/copilotkit", showDevConsole: false }, h(Page))
)
