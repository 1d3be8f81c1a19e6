// A model of the AI SDK that answers with files.
import type { ModelRef } from "@svc-runtime/agents/Models"

type AiSdkModel = Extract<ModelRef, { readonly specificationVersion: "v4" }>
export type ModelFile = Awaited<ReturnType<AiSdkModel["doGenerate"]>>["content"][number]

export const fileOf = (mediaType: string, bytes: Uint8Array): ModelFile => ({
  type: "file",
  mediaType,
  data: { type: "data", data: Buffer.from(bytes).toString("base64") }
})

const nothing = { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined }

/** A model that answers with text and these files. */
export const painter = (...files: ReadonlyArray<ModelFile>): AiSdkModel => {
  const content: Array<ModelFile> = [{ type: "text", text: "Here it is" }, ...files]
  const finished = {
    finishReason: { unified: "stop", raw: "stop" } as const,
    usage: { inputTokens: nothing, outputTokens: { total: undefined, text: undefined, reasoning: undefined } }
  }
  return {
    specificationVersion: "v4",
    provider: "painter",
    modelId: "painter-1",
    supportedUrls: {},
    doGenerate: () => Promise.resolve({ content, ...finished, warnings: [] }),
    doStream: () =>
      Promise.resolve({
        stream: new ReadableStream({
          start: (controller) => {
            controller.enqueue({ type: "stream-start", warnings: [] })
            controller.enqueue({ type: "text-start", id: "t" })
            controller.enqueue({ type: "text-delta", id: "t", delta: "Here it is" })
            controller.enqueue({ type: "text-end", id: "t" })
            for (const file of files) if (file.type === "file") controller.enqueue(file)
            controller.enqueue({ type: "finish", ...finished })
            controller.close()
          }
        })
      })
  }
}
