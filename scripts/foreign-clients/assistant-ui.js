// A page with assistant-ui: a chat with one component of the service, over the runtime that the address names.
import { HttpAgent } from "@ag-ui/client"
import {
  ActionBarPrimitive,
  AssistantRuntimeProvider,
  AuiConfig,
  BranchPickerPrimitive,
  ComposerPrimitive,
  defineToolkit,
  MessagePrimitive,
  ThreadPrimitive,
  Tools
} from "@assistant-ui/react"
import { useA2AArtifacts, useA2ARuntime } from "@assistant-ui/react-a2a"
import { useAgUiRuntime } from "@assistant-ui/react-ag-ui"
import { AssistantChatTransport, useChatRuntime } from "@assistant-ui/react-ai-sdk"
import { lastAssistantMessageIsCompleteWithApprovalResponses, lastAssistantMessageIsCompleteWithToolCalls } from "ai"
import { createElement as h, useMemo, useState } from "react"
import { createRoot } from "react-dom/client"
import { z } from "zod"

const address = new URL(location.href).searchParams
const at = `/agents/${address.get("agent")}`

/** Its runtimes always send all messages that they show. */
const headers = { "x-messages": "all" }

const useAiSdk = () =>
  useChatRuntime({
    transport: new AssistantChatTransport({ api: `${at}/chat`, headers }),
    sendAutomaticallyWhen: (options) =>
      lastAssistantMessageIsCompleteWithToolCalls(options) ||
      lastAssistantMessageIsCompleteWithApprovalResponses(options)
  })

const useAgUi = () => {
  const agent = useMemo(() => new HttpAgent({ url: `${at}/agui`, headers, threadId: address.get("thread") }), [])
  return useAgUiRuntime({ agent, showThinking: true })
}

const useA2A = () => useA2ARuntime({ baseUrl: `${location.origin}/a2a${at}`, contextId: address.get("thread") })

const runtimes = { "ai-sdk": useAiSdk, "ag-ui": useAgUi, a2a: useA2A }

let setColor = () => {}

const Color = () => {
  const [color, set] = useState("white")
  setColor = set
  return h("p", { "data-testid": "color" }, color)
}

const toolkit = defineToolkit({
  paint: {
    description: "Paints the page",
    parameters: z.object({ color: z.string() }),
    execute: async ({ color }) => {
      setColor(color)
      return `painted ${color}`
    }
  }
})

const button = (name, onClick) => h("button", { onClick, "data-testid": name }, name)

const Call = ({ approval, argsText, respondToApproval, result, toolName }) =>
  h(
    "div",
    { "data-testid": `call-${toolName}` },
    `${toolName} ${argsText} ${result === undefined ? "" : JSON.stringify(result)}`,
    approval?.approved === undefined && approval?.resolution === undefined && approval !== undefined && [
      button("approve", () => respondToApproval({ approved: true })),
      button("deny", () => respondToApproval({ approved: false, reason: "Too late" }))
    ]
  )

const Reasoning = ({ text }) => h("i", { "data-testid": "reasoning" }, text)

const parts = h(MessagePrimitive.Parts, { components: { Reasoning, tools: { Fallback: Call } } })

const UserMessage = () =>
  h(
    MessagePrimitive.Root,
    { "data-testid": "user" },
    parts,
    h(ActionBarPrimitive.Edit, { "data-testid": "edit" }, "edit")
  )

const AssistantMessage = () =>
  h(
    MessagePrimitive.Root,
    { "data-testid": "assistant" },
    parts,
    h(ActionBarPrimitive.Reload, { "data-testid": "reload" }, "reload"),
    h(BranchPickerPrimitive.Root, {}, h(BranchPickerPrimitive.Previous, { "data-testid": "previous" }, "previous"))
  )

const EditComposer = () =>
  h(
    ComposerPrimitive.Root,
    {},
    h(ComposerPrimitive.Input, { "data-testid": "edited" }),
    h(ComposerPrimitive.Send, { "data-testid": "save" }, "save")
  )

/** Answers of A2A are artifacts, which its runtime shows beside the messages. */
const Artifacts = () =>
  h("div", { "data-testid": "artifacts" }, useA2AArtifacts().map(({ parts }) => parts.map(({ text }) => text).join("")))

const Page = () => {
  const runtime = runtimes[address.get("runtime")]()
  const config = AuiConfig({ tools: Tools({ toolkit }) })
  return h(
    AssistantRuntimeProvider,
    { runtime, config },
    h(Color),
    address.get("runtime") === "a2a" && h(Artifacts),
    h(ThreadPrimitive.Messages, { components: { UserMessage, AssistantMessage, EditComposer } }),
    h(
      ComposerPrimitive.Root,
      {},
      h(ComposerPrimitive.Input, { "data-testid": "message" }),
      h(ComposerPrimitive.Send, { "data-testid": "send" }, "send"),
      h(ComposerPrimitive.Cancel, { "data-testid": "stop" }, "stop")
    )
  )
}

createRoot(document.getElementById("root")).render(h(Page))
