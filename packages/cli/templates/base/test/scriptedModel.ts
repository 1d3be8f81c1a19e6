// A model that gives prepared answers, in order. Tests with it need no key and no network.
import type { ModelRef } from "@svc-runtime/models"

type Model = Extract<ModelRef, { readonly specificationVersion: "v4" }>

export type Answer = { readonly text: string } | { readonly tool: string; readonly input: object }

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 }
}

export const scriptedModel = (answers: ReadonlyArray<Answer>): Model => {
  let count = 0
  const next = () => {
    const answer = answers[count]
    count++
    if (answer === undefined) throw new Error(`The script has ${answers.length} answers, and the agent needs more.`)
    return "text" in answer
      ? { text: answer.text, finishReason: { unified: "stop" as const, raw: undefined } }
      : {
        call: {
          type: "tool-call" as const,
          toolCallId: `call-${count}`,
          toolName: answer.tool,
          input: JSON.stringify(answer.input)
        },
        finishReason: { unified: "tool-calls" as const, raw: undefined }
      }
  }
  return {
    specificationVersion: "v4",
    provider: "script",
    modelId: "script",
    supportedUrls: {},
    doGenerate: async () => {
      const { call, finishReason, text } = next()
      return {
        content: call === undefined ? [{ type: "text", text }] : [call],
        finishReason,
        usage,
        warnings: []
      }
    },
    doStream: async () => {
      const { call, finishReason, text } = next()
      const stream: Awaited<ReturnType<Model["doStream"]>>["stream"] = new ReadableStream({
        start: (controller) => {
          controller.enqueue({ type: "stream-start", warnings: [] })
          if (call !== undefined) controller.enqueue(call)
          else {
            controller.enqueue({ type: "text-start", id: "0" })
            controller.enqueue({ type: "text-delta", id: "0", delta: text })
            controller.enqueue({ type: "text-end", id: "0" })
          }
          controller.enqueue({ type: "finish", finishReason, usage })
          controller.close()
        }
      })
      return { stream }
    }
  }
}
