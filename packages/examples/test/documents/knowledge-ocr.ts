// The block of docs/guides/knowledge.md about the text of pictures.
// #region
import { openai } from "@ai-sdk/openai"
import { Knowledge } from "@svc-runtime/server"

Knowledge.make({ name: "invoices", ocr: openai("gpt-5-mini") })

// a program of your own: `pages` are those without text, undefined for the whole file
Knowledge.make({
  name: "letters",
  ocr: async ({ bytes, pages, type }, signal) => {
    const response = await fetch("http://ocr.internal/recognize", { method: "POST", body: bytes, signal })
    return (await response.json()) as Array<{ page: number; text: string }>
  }
})
// #endregion
